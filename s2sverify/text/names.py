"""Names: letters as written or spelled, titles and accents aside, and spellings that sound alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from s2sverify.text.lattice import Lattice, fold
from s2sverify.text.nearmiss import distance
from s2sverify.text.strings import Hit, letter_steps, pause
from s2sverify.text.vocabulary import LETTER, OTHER, words

TITLES = words(
    "mr mrs ms miss mister missus misses mizz dr doctor prof professor sir madam mx rev reverend"
    " captain capt sergeant sgt jr junior sr senior assoc associate"
)

# given names that are pronounced alike (or nearly always so) though no rule of spelling says it
_ALIKE = """
sean shawn shaun | stephen steven | catherine katherine katharine cathryn kathryn catharine |
caitlin kaitlin katelyn kaitlyn
caitlyn katelin kaitlynn catelyn | sarah sara | john jon | geoffrey jeffrey geoff jeff | deborah debra | rachel rachael
theresa teresa | sophia sofia | zoe zoey zoë | matthew mathew | nicholas nicolas |
michael micheal | hailey haley hayley hailee
| isabel isabelle isobel | anne ann | allan alan allen alun | lindsay lindsey lyndsey |
tracy tracey tracie | leigh lee li
| stuart stewart | graham graeme | siobhan shivaun chevonne | niamh neve | aoife eefa | joaquin wakeen | sian sharn
| kristen kristin christen | kirsten kirstin | kristina christina | christopher kristopher |
phillip philip filip | marc mark
| eric erik erick | carl karl | gray grey | reid reed read | meyer myer maier meier mayer |
brian bryan | claire clare clair
| elliott eliot elliot | gillian jillian | hannah hanna | jacqueline jaclyn | joe jo | joan jone |
karen karin | kelly kelley kellie
| megan meghan meagan | monica monika | natalie nathalie | rebecca rebekah | shelley shelly |
susan suzan | vivian vivien
| yvonne evonne | alicia alisha | alison allison alyson | ashley ashleigh ashlee | bailey bayley |
barbara barbra | bethany bethanie
| brittany britney brittney | cassie kassie | cathy kathy kathie | cindy cyndi | dylan dillon |
erica erika | francis frances
| glen glenn | greg gregg | jennifer jenifer | jenny jennie | jerry gerry | jesse jessie |
lauren loren | laurence lawrence
| leslie lesley | louis lewis | madeline madeleine | marcia marsha |
mohammed muhammad mohamed mohammad muhammed | neil neal neill
| olivia alivia | patrick padraig | randall randal | sheila shelagh | sydney sidney |
tiffany tiffanie | todd tod | tony toni
| vicky vicki vickie | wendy wendi | jose josé | smith smyth smythe | clark clarke |
thompson thomson | nielsen neilson nielson
| johnston johnstone | moore moor more | pearce pierce | robinson robbinson | rodgers rogers | white whyte | young yung
| nguyen nwin winn | siobhán shivawn | seán | xavier zavier | aidan aiden ayden | jaden jayden |
kayla kaila | mikayla michaela
| kaylee kayleigh kayley | ryan rian | wei way | yusuf yousef youssef
"""
_GROUPS: dict[str, str] = {}
for _group in _ALIKE.split("|"):
    _spellings = [fold(w) for w in _group.split()]
    for _spelling in _spellings:
        _GROUPS[_spelling] = "=" + _spellings[0]

for _spelling in ("mary", "marie"):  # the rules would make them one
    _GROUPS[_spelling] = "=" + _spelling

# Spelling to sound, in order; capitals and figures stand for sounds so that later rules leave them alone.
# Vowels keep their colour: "Allen" and "Ellen" must stay apart.
_RULES = [
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("^(kn|gn|pn)", "n"), ("^wr", "r"), ("^ps", "s"), ("^x", "z"),
        ("^mac(?=[^aeiouhk])|^mc(?=[^k])", "mak"), ("^mackh?", "mak"),
        ("tch", "C"), ("sch(?=[^aeiou])", "S"), ("sh|sch", "S"), ("ch", "C"), ("ph", "f"), ("th",
        "T"), ("^wh", "w"), ("ck", "k"),
        ("dg(?=[eiy])", "J"), ("(eigh|aigh)", "1"), ("igh", "5"), ("(?<=[aeou])gh", ""), ("gh",
        "g"), ("c(?=[eiy])", "s"), ("qu", "kw"), ("[cq]", "k"),
        ("x", "ks"), ("mb$", "m"), ("rh", "r"), (r"([b-df-hj-np-tv-z])\1+", r"\1"), ("h$|h(?=[b-df-hj-np-tvwxz])", ""),
        ("a([bdfgklmnprstvzJ])e$", r"1\1"), ("i([bdfgklmnprstvzJ])e$", r"5\1"), ("o([bdfgklmnprstvzJ])e$", r"3\1"),
        ("(ai|aye?|ei(?=[lnr]))", "1"), ("(ee|ea|ie$|ey$|i$|y$|eigh$)", "2"),
        ("(owe?$|oe$|o$|ough$|oa)", "3"), ("(oo|ue$|ew$|ui)", "4"),
        ("(au|aw)", "6"), ("(?<=[^aeiou1-6])e$", ""), ("(?<=[^aeiou1-6])es$", "s"), ("y", "i"),
        ("z$", "s"), (r"(.)\1+", r"\1"),
    )
]  # fmt: skip
_VOICING = str.maketrans("pbtdkgfvszmn", "bbddggvvssnn")


_LONGEST_NAME = 40


@lru_cache(maxsize=8_192)
def sound(word: str) -> str:
    """A key that is equal for spellings of English names that are pronounced alike."""
    key = fold(word).lower()
    if not (key.isascii() and key.isalpha()) or len(key) > _LONGEST_NAME:
        return key  # letters the rules do not know: only equal spellings are alike
    if key in _GROUPS:
        return _GROUPS[key]
    for pattern, to in _RULES:
        key = pattern.sub(to, key)
    return key


@lru_cache(maxsize=8_192)
def _blurred(word: str) -> str:
    """The sound with vowels and voicing taken out: equal for names that are easily misheard for one another."""
    key = sound(word)
    key = key.removeprefix("=")
    return key[:1].translate(_VOICING) + re.sub(r"[aeiou1-6]+", "", key[1:]).translate(_VOICING)


def sounds_near(a: str, b: str) -> bool:
    """Whether two names differ in vowels or voicing at most."""
    return a == b or (len(a) > 2 and len(b) > 2 and _blurred(a) == _blurred(b))


@lru_cache(maxsize=8_192)
def parts_of(name: str) -> tuple[str, ...]:
    """Letters of each part of a name, titles left out."""
    parts = [
        w.replace("'", "") for w in re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)*", fold(name).lower())
    ]
    parts = [_SHORT.get(p, p) for p in parts]
    return tuple(p for p in parts if p not in TITLES) or tuple(parts)


_SHORT = {"st": "saint", "ste": "sainte", "mt": "mount", "ft": "fort"}
_LONG = {long: short for short, long in _SHORT.items()}


_BEFORE_SPELLING = words(
    "that's thats spelled spelt spelling it's its as with and is last first name letters"
)


def accept_name(lat: Lattice, parts: tuple[str, ...]) -> list[Hit]:
    """Where all parts of a name are said, in order."""
    return [
        hit
        for i in range(lat.n)
        if lat.cls[i] >= LETTER or lat.word_at(i) == "o"
        for hit in _from(lat, i, parts)
    ]


def _from(lat: Lattice, i: int, parts: tuple[str, ...]) -> Iterator[Hit]:
    states: list[tuple[int, int, str, str]] = [(i, 0, "", "")]
    while states:
        j, n, style, doubt = states.pop()
        if n == len(parts):
            yield Hit(i, j, style, doubt)
            continue
        if n:
            j = _next_part(lat, j)
            if j < lat.n and any(c in lat.pre[j] for c in "?!;"):
                continue
        for end, taken, how, why in _parts_at(lat, j, parts, n):
            said = how if not style or style == how or how != "as written" else style
            for after in _confirmed(lat, end, parts, n, n + taken, how):
                states.append((after, n + taken, said, doubt or why))


def _next_part(lat: Lattice, j: int) -> int:
    """Position of the next part of a name behind titles, "last name" and the like."""
    while j < lat.n:
        if lat.text[j] in TITLES or lat.text[j] == "surname":
            j += 1
        elif (
            lat.says(j, "last", "name")
            or lat.says(j, "family", "name")
            or lat.says(j, "second", "name")
        ):
            j += 2
        else:
            break
    return j


def _parts_at(
    lat: Lattice, j: int, parts: tuple[str, ...], n: int
) -> Iterator[tuple[int, int, str, str]]:
    """Ways to say one or more parts from `n` on at atom `j`: (end, parts taken, style, doubt)."""
    joined = ""
    for k in range(j, min(lat.n, j + 4)):
        if (
            k > j
            and any(c in lat.pre[k] for c in ",.;?!:")
            and " " in lat.pre[k]
            and len(joined) > 1
        ):
            break
        if lat.cls[k] not in (OTHER, LETTER) and lat.text[k] != "o":
            break
        joined += lat.text[k].replace("'", "")
        whole = ""
        for m in range(n, min(len(parts), n + 3)):
            whole += parts[m]
            if joined == whole or (joined == whole + "s" and "'" in lat.text[k]):
                yield k + 1, m + 1 - n, "as written", ""
        part = parts[n]
        if k == j and joined == _LONG.get(parts[n]):
            yield k + 1, 1, "as written", ""
        written = len(part) > 1 and len(joined) > 1 and lat.cls[k] == OTHER
        if written and joined != part and sound(joined) == sound(part):
            yield k + 1, 1, "sounds alike", ""
    whole = ""
    for m in range(n, len(parts)):
        whole += parts[m]
        end = spelled(lat, j, whole)
        if end:
            yield end, m + 1 - n, "spelled", ""


def spelled(lat: Lattice, j: int, target: str) -> int:
    """End of the letters of `target` said one by one from `j`, 0 where they are not."""
    stack, seen = [(j, 0)], set()
    while stack:
        at, k = stack.pop()
        if k == len(target):
            if at - j < min(2, k) or (
                at < lat.n
                and _is_letter(lat, at)
                and lat.close(at)
                and lat.word_at(at) not in ("a", "i")
            ):
                continue
            return at
        if at >= lat.n or (at, k) in seen or (k and any(c in lat.pre[at] for c in "?!;")):
            continue
        seen.add((at, k))
        for step in letter_steps(lat, at, k == 0):
            if target.startswith(step.symbols, k):
                stack.append((step.end, k + len(step.symbols)))
    return 0


def _is_letter(lat: Lattice, i: int) -> bool:
    return lat.cls[i] == LETTER or lat.text[i] == "o"


def _confirmed(
    lat: Lattice, j: int, parts: tuple[str, ...], first: int, n: int, how: str
) -> Iterator[int]:
    """Positions after the part said, behind a spelling of it if one follows; none where the letters spell otherwise."""
    at = j
    while lat.word_at(at) in _BEFORE_SPELLING and at - j < 3:
        at += 1
    letters = _letters_at(lat, at)
    if how == "spelled" or len(letters) < 2:
        yield j
        return
    following = "".join(parts[n:])
    for target in ("".join(parts[first:n]), "".join(parts[:n]), *parts[first:n]):
        end = spelled(lat, at, target)
        if end:
            yield end
            return
    if following and any(
        following.startswith(letters[:k]) for k in (len(letters), min(3, len(letters)))
    ):
        yield j
        return
    own = "".join(parts[first:n])
    if min(distance(letters, own), distance(letters, parts[n - 1])) * 2 > max(len(letters), 3):
        yield j  # letters of something else


def _letters_at(lat: Lattice, j: int) -> str:
    """The letters said one by one from `j`."""
    out = ""
    while j < lat.n and len(out) < 40:
        if out and (
            any(c in lat.pre[j] for c in "?!;") or (pause(lat.pre[j]) and "." in lat.pre[j])
        ):
            break
        if not (_is_letter(lat, j) or lat.text[j] in ("double",)):
            break
        step = next((s for s in letter_steps(lat, j, True) if s.symbols != "\x00"), None)
        if step is None:
            break
        out, j = out + step.symbols, step.end
    return out


__all__ = ["TITLES", "accept_name", "parts_of", "sound", "sounds_near", "spelled"]
