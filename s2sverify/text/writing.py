"""What is spelled with symbols or written in several words: e-mail, web addresses, street addresses, free text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from s2sverify.text import vocabulary as vocab
from s2sverify.text.lattice import (
    FIGURE,
    LETTER,
    ORDINAL_FIGURE,
    ORDINAL_WORD,
    SYMBOL,
    Lattice,
    fold,
)
from s2sverify.text.numbers import chunks, is_numeric, ordinals
from s2sverify.text.strings import Hit, letter_steps

SYMBOL_WORDS = {
    "dot": ".", "period": ".", "point": ".", "at": "@", "underscore": "_", "dash": "-", "hyphen": "-", "minus": "-",
    "plus": "+", "slash": "/", "colon": ":", "tilde": "~", "hash": "#", "equals": "=", "ampersand": "&", "and": "&",
    "percent": "%", "stroke": "/",
}  # fmt: skip
_SKIPPED = frozenset(
    ["sign", "symbol", "forward", "lowercase", "lower", "uppercase", "upper", "case", "capital", "letter"]
)
# words that stand before an address without being part of it
_BEFORE = frozenset(
    ["is", "was", "as", "at", "to", "for", "on", "by", "it's", "its", "it", "address", "email", "e-mail", "mail", "website", "url", "site", "web", "link", "page", "visit", "see", "go", "contact", "write", "reach", "via", "from", "your", "our", "my", "his", "her", "their", "the", "a", "an", "and", "or", "that's", "that", "this", "use", "try", "with", "into", "you're", "said", "says", "it'll", "called", "named", "under", "online", "over", "okay", "ok", "yes", "sure", "right", "so", "about", "regarding", "through", "located", "lives", "live", "ip", "username", "please", "send", "sent"]
)


def walk_symbols(lat: Lattice, start: int, target: str) -> Iterator[tuple[int, str]]:
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
            if " " not in gap and gap:
                if not target.startswith(gap, k):
                    if not (gap == "-" and (lat.cls[j] == LETTER or lat.cls[j - 1] == LETTER)):
                        continue
                else:
                    k += len(gap)
                    if k == len(target):
                        continue
            elif any(c in gap for c in "?!;"):
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
        symbol = SYMBOL_WORDS.get(word)
        if symbol and target.startswith(symbol, k):
            stack.append((j + 1, k + 1, style))
        if k and (word in _SKIPPED):
            stack.append((j + 1, k, style))


def accept_symbols(lat: Lattice, target: str) -> list[Hit]:
    """Where an e-mail or web address is said as a whole."""
    hits = []
    for i in range(lat.n):
        for end, style in walk_symbols(lat, i, target):
            worst = max(_before(lat, i), _after(lat, end))
            if worst < 2:
                hits.append(Hit(i, end, style, "neighbouring words" if worst else ""))
    return hits


def _before(lat: Lattice, i: int) -> int:
    if i == 0:
        return 0
    word, gap = lat.text[i - 1], lat.pre[i]
    if " " not in gap:
        return 2 if gap in (".", "-", "_", "@", "", "/", "://", ":") else 0
    if gap.strip():
        return 0
    if word in _BEFORE:
        return 0
    if word in SYMBOL_WORDS or lat.cls[i - 1] in (LETTER, SYMBOL, FIGURE) or is_numeric(lat, i - 1):
        return 2
    if word in vocab.NATO or word in vocab.LETTER_NAMES:
        return 2
    return 1 if len(word) > 2 and word.isalpha() else 0


def _after(lat: Lattice, j: int) -> int:
    if j >= lat.n:
        return 0
    word, gap = lat.text[j], lat.pre[j]
    if " " not in gap:
        return 2
    if word in ("dot", "underscore", "hyphen", "dash") and not gap.strip():
        return 2
    if word in ("@", "_"):
        return 2
    if word == "at" and not gap.strip() and lat.text[j + 2 : j + 3] in (["dot"], ["com"]):
        return 2
    if lat.cls[j] == LETTER and word not in "ai" and not gap.strip():
        return 2
    if word == "slash" and j + 1 < lat.n and not gap.strip():
        return 2
    return 0


def addresses(lat: Lattice, *, email: bool) -> list[tuple[int, int, str]]:
    """E-mail or web addresses in the text, read the plainest way: (start, end, value)."""
    out = []
    i = 0
    while i < lat.n:
        if (lat.text[i] in ("dot", "com", "org", "net", "at", "@") or lat.pre[i] == ".") and i:
            j = i
            while j > 0 and j > i - 16 and _part(lat, j - 1, lat.pre[j]):
                j -= 1
            end = i
            while end < lat.n and _part(lat, end, lat.pre[end] if end > i else ""):
                end += 1
            value = _compose(lat, j, end)
            if (
                ("@" in value) == email
                and re.search(r"[a-z0-9]\.[a-z]{2,}", value)
                and " " not in value
            ):
                out.append((j, end, value))
            i = max(end, i + 1)
        else:
            i += 1
    return out


def _part(lat: Lattice, k: int, gap: str) -> bool:
    word = lat.text[k]
    if any(c in gap for c in "?!;,") and " " in gap:
        return False
    return (
        word
        in (
            "dot",
            "at",
            "@",
            "underscore",
            "_",
            "dash",
            "hyphen",
            "plus",
            "+",
            "slash",
            "com",
            "org",
            "net",
        )
        or lat.cls[k] == LETTER
        or is_numeric(lat, k)
        or (
            k > 0
            and lat.text[k - 1] in ("dot", "at", "@", "underscore", "_", "dash", "hyphen", "slash")
        )
        or (
            k + 1 < lat.n
            and lat.text[k + 1] in ("dot", "at", "@", "underscore", "_", "dash", "hyphen")
            and word not in _BEFORE
        )
        or (" " not in gap and bool(gap))
        or (k + 1 < lat.n and " " not in lat.pre[k + 1])
    )


def _compose(lat: Lattice, i: int, j: int) -> str:
    out = ""
    k = i
    while k < j:
        gap = lat.pre[k] if k > i and " " not in lat.pre[k] else ""
        word = lat.text[k]
        if word in ("dot", "at", "underscore", "dash", "hyphen", "plus", "slash"):
            out += gap + SYMBOL_WORDS[word]
        else:
            step = chunks(lat, k)
            if step:
                best = max(step, key=lambda c: c.end)
                out += gap + best.digits
                k = best.end
                continue
            out += gap + word
        k += 1
    return out


# --------------------------------------------------------------------------------------------- street addresses

_SAME = [
    "street st", "avenue ave av", "road rd", "boulevard blvd", "drive dr", "lane ln", "court ct", "place pl", "square sq",
    "terrace ter terr", "parkway pkwy", "highway hwy", "expressway expy", "circle cir", "trail trl", "way wy",
    "crescent cres", "close cl", "gardens gdns", "grove grv", "plaza plz", "point pt", "heights hts", "mount mt",
    "saint st", "fort ft", "north n", "south s", "east e", "west w", "northeast ne", "northwest nw", "southeast se",
    "southwest sw", "apartment apt", "suite ste", "floor fl", "building bldg", "room rm", "number no", "unit",
    "turnpike tpke", "alley aly", "route rte", "junction jct", "freeway fwy", "bridge brg", "island is", "lake lk",
    "box", "post office po p.o", "department dept", "house hse",
]  # fmt: skip
_STATES = (
    "alabama al|alaska ak|arizona az|arkansas ar|california ca|colorado co|connecticut ct|delaware de|florida fl|georgia ga"
    "|hawaii hi|idaho id|illinois il|indiana in|iowa ia|kansas ks|kentucky ky|louisiana la|maine me|maryland md"
    "|massachusetts ma|michigan mi|minnesota mn|mississippi ms|missouri mo|montana mt|nebraska ne|nevada nv"
    "|new_hampshire nh|new_jersey nj|new_mexico nm|new_york ny|north_carolina nc|north_dakota nd|ohio oh|oklahoma ok"
    "|oregon or|pennsylvania pa|rhode_island ri|south_carolina sc|south_dakota sd|tennessee tn|texas tx|utah ut|vermont vt"
    "|virginia va|washington wa|west_virginia wv|wisconsin wi|wyoming wy|district_of_columbia dc|united_states usa us"
    "|united_kingdom uk|new_south_wales nsw|queensland qld|victoria vic"
)
_FORMS: dict[str, set[tuple[str, ...]]] = {}
for _line in [*_SAME, *_STATES.split("|")]:
    _all = {tuple(w.split("_")) for w in _line.split()}
    for _w in _line.split():
        _FORMS.setdefault(_w, set()).update(_all)
_COMPOUND = {
    ("north", "east"): "northeast",
    ("north", "west"): "northwest",
    ("south", "east"): "southeast",
    ("south", "west"): "southwest",
}
for _two_words, _one in _COMPOUND.items():
    for _w in [f for f, s in _FORMS.items() if (_one,) in s]:
        _FORMS[_w] = _FORMS[_w] | {_two_words}


def address_tokens(text: str) -> list[str]:
    low = re.sub(r"\bp\.?\s?o\.?\s?(?=box)", "po ", fold(text).lower())
    return [t.strip("'") for t in re.findall(r"\d+(?:st|nd|rd|th)\b|\d+|[a-z']+", low)]


def accept_address(lat: Lattice, tokens: list[str]) -> list[Hit]:
    hits = []
    for i in range(lat.n):
        ends = _address_from(lat, i, tokens)
        if not ends or (is_numeric(lat, i) and i and is_numeric(lat, i - 1)):
            continue
        for end in ends:
            if not (
                end < lat.n
                and is_numeric(lat, end)
                and lat.pre[end].strip(" -") == ""
                and tokens[-1].isdigit()
            ):
                hits.append(Hit(i, end, "as written"))
                break
    return hits


def _address_from(lat: Lattice, i: int, tokens: list[str]) -> set[int]:
    states = {(i, False)}
    for n, token in enumerate(tokens):
        new: set[tuple[int, bool]] = set()
        for j, _ in states:
            starts = {j}
            if (
                n
                and j < lat.n
                and lat.text[j] in ("number", "no", "the", "in", "zip", "code", "and", "hash")
            ):
                starts.add(j + 1)
                if lat.text[j : j + 2] == ["zip", "code"]:
                    starts.add(j + 2)
            for at in starts:
                if at < lat.n:
                    new |= {(end, True) for end in _token_ends(lat, at, token)}
        states = new
        if not states:
            break
    return {j for j, _ in states}


def _token_ends(lat: Lattice, j: int, token: str) -> set[int]:
    ends: set[int] = set()
    if token.isdigit():
        stack = [(j, 0)]
        while stack:
            at, k = stack.pop()
            if k == len(token):
                ends.add(at)
                continue
            if at < lat.n:
                stack += [
                    (c.end, k + len(c.digits))
                    for c in chunks(lat, at)
                    if token.startswith(c.digits, k)
                ]
        return ends
    if token[0].isdigit():
        value = int(re.sub(r"\D", "", token))
        ends |= {n.end for n in ordinals(lat, j) if n.value == value}
        return ends
    if lat.cls[j] in (ORDINAL_WORD, ORDINAL_FIGURE):
        tens = {str(lat.val[j])}
        if (
            token in vocab.NUMBER_WORDS
            and str(vocab.NUMBER_WORDS[token][1]) in tens
            and vocab.NUMBER_WORDS[token][0] == 10
        ):
            ends.add(j + 1)
    word = lat.text[j].replace("'", "")
    if word == token.replace("'", ""):
        ends.add(j + 1)
    for form in _FORMS.get(token, ()):
        if tuple(lat.text[j : j + len(form)]) == form:
            ends.add(j + len(form))
    joined = word
    for k in range(j + 1, min(lat.n, j + 3)):
        joined += lat.text[k]
        if joined == token:
            ends.add(k + 1)
    if len(token) > 2 and lat.cls[j] == LETTER:
        from s2sverify.text.names import _spelled

        end = _spelled(lat, j, token)
        if end:
            ends.add(end)
    elif len(token) == 2 and lat.cls[j] == LETTER and lat.text[j : j + 2] == list(token):
        ends.add(j + 2)
    return ends


__all__ = ["accept_address", "accept_symbols", "address_tokens", "addresses"]
