"""What is spelled with symbols or written in several words: e-mail, web addresses, street addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from s2sverify.text import vocabulary as vocab
from s2sverify.text.lattice import Lattice, fold
from s2sverify.text.names import spelled
from s2sverify.text.numbers import chunks, ordinals
from s2sverify.text.strings import CLEAN, HARD, SOFT, Hit, letter_steps, pause
from s2sverify.text.vocabulary import (
    FIGURE,
    LETTER,
    ONE,
    ORDINAL_FIGURE,
    ORDINAL_WORD,
    SYMBOL,
    words,
)

_SAID = {
    "dot": ".", "period": ".", "point": ".", "at": "@", "underscore": "_", "dash": "-", "hyphen": "-", "minus": "-",
    "plus": "+", "slash": "/", "stroke": "/", "colon": ":", "tilde": "~", "hash": "#", "equals": "=", "ampersand": "&",
    "and": "&", "percent": "%", "question": "?",
}  # fmt: skip
_SKIPPED = words("sign symbol forward lowercase lower uppercase upper case capital letter mark")
_BEFORE = words(
    "is was as at to for on by it's its it address addresses email e-mail emails mail website url"
    " site web link page visit see go contact write reach via from your my our his her their the"
    " an and or that's that this use try with into you're said says it'll called named under"
    " online over okay ok yes sure right so about regarding through ip username please send sent a"
    " have has had got get gave give note read reads be been are am log login typed type open"
    " opens check found find using put spell spelled spelling would will can could should just"
    " actually now then also confirm confirming one up down out in of uses used like was were"
    " domain server host account user handle id but not no add added entered enter updated update"
    " be sorry mean i'll i've we we've i you he she they new old change changed me us him them"
    " correct correction okay well here all lowercase lower case small letters"
)
_JOINING = words("dot at @ underscore _ dash hyphen plus + slash")


# --------------------------------------------------------------------------------------------- e-mail and web addresses


def _walk(lat: Lattice, start: int, target: str) -> Iterator[tuple[int, str]]:
    """Ways to read the characters of `target` from atom `start`."""
    seen: set[tuple[int, int]] = set()
    stack: list[tuple[int, int, str]] = [(start, 0, "as written")]
    while stack:
        j, k, style = stack.pop()
        if k == len(target):
            yield j, style
            continue
        if j >= lat.n or (j, k) in seen:
            continue
        seen.add((j, k))
        if k:
            gap = lat.pre[j]
            if " " in gap:
                if any(c in gap for c in "?!;"):
                    continue
                if (
                    gap[0] in "./:-"
                    and target.startswith(gap[0], k)
                    and not target.startswith(lat.text[j], k)
                ):
                    k += 1  # "gmail. com"
            elif gap and target.startswith(gap, k):
                k += len(gap)
                if k == len(target):
                    continue
            elif gap and not (gap == "-" and (lat.cls[j] == LETTER or lat.cls[j - 1] == LETTER)):
                continue
        word = lat.text[j].replace("'", "")
        if target.startswith(word, k):
            stack.append((j + 1, k + len(word), style))
        for chunk in chunks(lat, j):
            if target.startswith(chunk.digits, k):
                stack.append((chunk.end, k + len(chunk.digits), style))
        for step in letter_steps(lat, j, k == 0):
            if target.startswith(step.symbols, k):
                stack.append((step.end, k + len(step.symbols), "spelled"))
        symbol = _SAID.get(word)
        if symbol and target.startswith(symbol, k):
            stack.append((j + 1, k + 1, style))
        if word == "double" and lat.says(j + 1, "slash") and target.startswith("//", k):
            stack.append((j + 2, k + 2, style))
        if k and (word in _SKIPPED or (lat.says(j, "all", "one", "word"))):
            stack.append((j + (3 if word == "all" else 1), k, style))


def accept_symbols(lat: Lattice, target: str) -> list[Hit]:
    """Where an e-mail or web address is said as a whole."""
    hits = []
    for i in range(lat.n):
        for end, style in _walk(lat, i, target):
            worst = max(_edge_before(lat, i), _edge_after(lat, end))
            if worst < HARD:
                hits.append(Hit(i, end, style, "neighbouring words" if worst else ""))
    return hits


def _edge_before(lat: Lattice, i: int) -> int:
    if i == 0:
        return CLEAN
    word, gap, cls = lat.text[i - 1], lat.pre[i], lat.cls[i - 1]
    if " " not in gap:
        return HARD if gap in (".", "-", "_", "@", "", "/", "://", "+") else CLEAN
    if pause(gap):
        return CLEAN
    if not lat.text[i][0].isalnum():  # "a underscore b": what goes before the sign belongs to it
        return HARD
    if lat.says(i, "underscore") or lat.text[i] in ("dot", "dash", "hyphen", "plus"):
        return HARD
    if word == "a":
        return HARD if i > 1 and _spelling(lat, i - 2) else CLEAN
    if word == "at":
        return _edge_behind_at(lat, i)
    if word in _JOINING or cls == SYMBOL:
        return HARD
    if _spelling(lat, i - 1):
        return HARD
    if word in _BEFORE or vocab.MONTHS.get(word):
        return CLEAN
    return SOFT


def _edge_behind_at(lat: Lattice, i: int) -> int:
    """How cleanly an address begins at `i` behind "at", which may join the halves of a longer one."""
    before = lat.word_at(i - 2)
    if i < 2 or lat.text[i] == "www" or pause(lat.pre[i - 1]) or before.endswith(("ing", "ed")):
        return CLEAN
    if before in _MAILBOXES:
        return HARD
    if before in _BEFORE or before in ("us", "online", "available", "look", "them", "it"):
        return CLEAN
    joined = i > 2 and (lat.text[i - 3] in _JOINING or " " not in lat.pre[i - 2])
    return HARD if joined or _spelling(lat, i - 2) or not lat.text[i - 2].isalpha() else SOFT


_MAILBOXES = words("info me contact mail web sales support help hello service billing admin")


def _spelling(lat: Lattice, i: int) -> bool:
    article = lat.text[i] in ("a", "i") and not (i + 1 < lat.n and lat.cls[i + 1] == LETTER)
    return lat.numeric(i) or (lat.cls[i] == LETTER and not article) or lat.text[i] in vocab.NATO


def _edge_after(lat: Lattice, j: int) -> int:
    if j >= lat.n:
        return CLEAN
    word, gap = lat.text[j], lat.pre[j]
    if " " not in gap:
        return CLEAN if gap in (")", "'", '"', ",", ";") or (word == "s" and gap == "'") else HARD
    if gap.strip():
        return CLEAN
    if word in ("dot", "underscore", "hyphen", "dash", "@", "_", "slash"):
        return HARD
    if word == "at" and ("dot" in lat.text[j + 1 : j + 6] or lat.pre[j + 2 : j + 3] == ["."]):
        return HARD
    return HARD if lat.cls[j] == LETTER and word not in ("a", "i") else CLEAN


def addresses(lat: Lattice, *, email: bool) -> list[tuple[int, int, str]]:
    """E-mail or web addresses in a text, read the plainest way: (start, end, value)."""
    out = []
    i = 0
    while i < lat.n:
        if lat.text[i] not in ("dot", "@", "com", "org", "net", "www") and lat.pre[i] != ".":
            i += 1
            continue
        start = i
        while start > 0 and start > i - 40 and _part(lat, start - 1, start):
            start -= 1
        end = i + 1
        while end < lat.n and _part(lat, end, end):
            end += 1
        value = _compose(lat, start, end)
        if ("@" in value) == email and re.search(r"[a-z0-9]\.[a-z]{2,}", value):
            out.append((start, end, value))
        i = end
    return out


def _part(lat: Lattice, k: int, gap_at: int) -> bool:
    """Whether atom `k` belongs to an address that touches it across the gap before atom `gap_at`."""
    gap, word = lat.pre[gap_at], lat.text[k]
    if gap_at == k + 1 and lat.text[gap_at] == "at" and word in _BEFORE and word not in _MAILBOXES:
        return False
    if " " not in gap:
        return True
    if gap.strip():
        return False
    if word in _JOINING or _spelling(lat, k) or word in ("com", "org", "net"):
        return True
    before, after = lat.word_at(k - 1), lat.word_at(k + 1)
    if k < gap_at and after in ("underscore", "_", "dash", "hyphen", "plus"):
        return True
    return (before in _JOINING and k == gap_at) or (
        after in _JOINING and k < gap_at and word not in _BEFORE
    )


def _compose(lat: Lattice, i: int, j: int) -> str:
    out, k = "", i
    while k < j:
        gap = lat.pre[k] if k > i and " " not in lat.pre[k] else ""
        word = lat.text[k]
        step = chunks(lat, k)
        if word in ("dot", "at", "underscore", "dash", "hyphen", "plus", "slash"):
            out += gap + _SAID[word]
        elif step:
            best = max(step, key=lambda c: c.end)
            out += gap + best.digits
            k = best.end - 1
        else:
            out += gap + word
        k += 1
    return out


# --------------------------------------------------------------------------------------------- street addresses

_SAME = (
    "street st|avenue ave av|road rd|boulevard blvd|drive dr|lane ln|court ct|place pl|square"
    " sq|terrace ter terr|parkway pkwy|highway hwy|expressway expy expwy|circle cir|trail"
    " trl|crescent cres|close cl|gardens gdns|grove grv|plaza plz|point pt|heights hts|mount"
    " mt|saint st|fort ft|north n|south s|east e|west w|northeast ne|northwest nw|southeast"
    " se|southwest sw|apartment apt flat unit|suite ste|floor fl|building bldg|room rm|number"
    " no|turnpike tpke|alley aly|route rte|junction jct|freeway fwy|bridge brg|island is|lake"
    " lk|department dept|house hse|post_office po p_o|valley vly|ridge rdg|creek crk|center ctr"
    " centre|meadows mdws|station sta|park pk|green grn|manor mnr|alabama al|alaska ak|arizona"
    " az|arkansas ar|california ca|colorado co|connecticut ct|delaware de|florida fl|georgia"
    " ga|hawaii hi|idaho id|illinois il|indiana in|iowa ia|kansas ks|kentucky ky|louisiana"
    " la|maine me|maryland md|massachusetts ma|michigan mi|minnesota mn|mississippi ms|missouri"
    " mo|montana mt|nebraska ne|nevada nv|new_hampshire nh|new_jersey nj|new_mexico nm|new_york"
    " ny|north_carolina nc|north_dakota nd|ohio oh|oklahoma ok|oregon or|pennsylvania"
    " pa|rhode_island ri|south_carolina sc|south_dakota sd|tennessee tn|texas tx|utah ut|vermont"
    " vt|virginia va|washington wa|west_virginia wv|wisconsin wi|wyoming wy|district_of_columbia"
    " dc|united_states usa us|united_kingdom uk|new_south_wales nsw|queensland qld|victoria vic"
)
_FORMS: dict[str, set[tuple[str, ...]]] = {}
for _line in _SAME.split("|"):
    _all = {tuple(w.split("_")) for w in _line.split()}
    for _w in _line.split():
        _FORMS.setdefault(_w, set()).update(_all)
for _a in ("north", "south"):
    for _b in ("east", "west"):
        for _w in (_a + _b, _a[0] + _b[0]):
            _FORMS[_w] = _FORMS[_w] | {(_a, _b)}
_UNITS = words("unit apartment apt suite flat room")  # what "#4" may be called
_IDLE = words("number no the in zip code and postcode postal at comma on")


def plainest_form(token: str) -> str:
    """One spelling for a word of an address and its abbreviations."""
    forms = _FORMS.get(token)
    if not forms:
        return token
    return min((len(form), len(form[0]), " ".join(form)) for form in forms)[2]


def address_tokens(text: str) -> tuple[str, ...]:
    """Words and numbers of an address; "P.O." is one word."""
    low = re.sub(r"\bp\.?\s?o\.?\s?(?=box)", "po ", fold(text).lower())
    return tuple(
        t.strip("'") for t in re.findall(r"\d+(?:st|nd|rd|th)\b|\d+|[^\W\d_]+(?:'[^\W\d_]+)*", low)
    )


def accept_address(lat: Lattice, tokens: tuple[str, ...]) -> list[Hit]:
    """Where all words and numbers of an address are said, in order."""
    hits = []
    for i in range(lat.n):
        if i and lat.numeric(i) and lat.numeric(i - 1) and not pause(lat.pre[i]):
            continue
        for end in _address_from(lat, i, tokens):
            if tokens[-1].isdigit() and lat.numeric(end) and not pause(lat.pre[end]):
                continue
            hits.append(Hit(i, end, "as written"))
    return hits


def _address_from(lat: Lattice, i: int, tokens: tuple[str, ...]) -> set[int]:
    states = {i}
    for n, token in enumerate(tokens):
        new: set[int] = set()
        for j in states:
            at = j
            new |= _token_ends(lat, at, token)
            while (
                n
                and at < j + 2
                and (lat.word_at(at) in _IDLE or (token.isdigit() and lat.word_at(at) in _UNITS))
            ):
                at += 1
                new |= _token_ends(lat, at, token)
        states = new
        if not states:
            break
    return states


def _token_ends(lat: Lattice, j: int, token: str) -> set[int]:
    if j >= lat.n:
        return set()
    if token.isdigit():
        return _digits_ends(lat, j, token)
    ends: set[int] = set()
    if token[0].isdigit():
        value = int(re.sub(r"\D", "", token))
        return {n.end for n in ordinals(lat, j) if n.value == value}
    cls, value = vocab.NUMBER_WORDS.get(token, (-1, -1))
    alike = {ORDINAL_WORD: (ORDINAL_WORD, ORDINAL_FIGURE), ONE: (FIGURE,)}.get(cls, ())
    if lat.cls[j] in alike and lat.val[j] == value:
        ends.add(j + 1)
    joined = ""
    for k in range(j, min(lat.n, j + 3)):
        joined += lat.text[k].replace("'", "")
        if joined == token.replace("'", ""):
            ends.add(k + 1)
    for form in _FORMS.get(token, ()):
        if lat.says(j, *form):
            ends.add(j + len(form))
    end = spelled(lat, j, token) if len(token) > 1 else 0
    return ends | {end} if end else ends


def _digits_ends(lat: Lattice, j: int, token: str) -> set[int]:
    ends: set[int] = set()
    stack = [(j, 0)]
    while stack:
        at, k = stack.pop()
        if k == len(token):
            ends.add(at)
        elif at < lat.n and (at == j or lat.near(at)):
            stack += [
                (c.end, k + len(c.digits)) for c in chunks(lat, at) if token.startswith(c.digits, k)
            ]
    return ends


__all__ = ["accept_address", "accept_symbols", "address_tokens", "addresses", "plainest_form"]
