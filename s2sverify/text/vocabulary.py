"""Words that numbers, spellings, clocks and calendars are said with. Tables only; English of four countries."""

from __future__ import annotations

_ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
SCALES = {
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "quadrillion": 10**15,
    "quintillion": 10**18, "lakh": 10**5, "crore": 10**7,
}  # fmt: skip

# word -> (class, number); classes as in `lattice`: ONE 2, TEEN 3, TENS 4, HUNDRED 5, SCALE 6, OH 7, TIMES 8, ORDINAL 10
NUMBER_WORDS: dict[str, tuple[int, int]] = {}
NUMBER_WORDS |= {word: (2, n) for n, word in enumerate(_ONES)}
NUMBER_WORDS |= {"naught": (2, 0), "nought": (2, 0), "nil": (2, 0), "niner": (2, 9)}
NUMBER_WORDS |= {word: (3, n) for n, word in enumerate(_TEENS, 10)}
NUMBER_WORDS |= {word: (4, 10 * n) for n, word in enumerate(_TENS, 2)} | {"fourty": (4, 40)}
NUMBER_WORDS |= {"hundred": (5, 100), "hundreds": (5, 100)}
NUMBER_WORDS |= {word: (6, n) for word, n in SCALES.items()}
NUMBER_WORDS |= {word + "s": (6, n) for word, n in SCALES.items()}
NUMBER_WORDS |= {"lac": (6, 10**5), "lacs": (6, 10**5)}
NUMBER_WORDS |= {"oh": (7, 0), "o": (7, 0)}
NUMBER_WORDS |= {
    "double": (8, 2), "triple": (8, 3), "treble": (8, 3), "quadruple": (8, 4), "quad": (8, 4),
}  # fmt: skip
_ORDINALS = ["zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"]
NUMBER_WORDS |= {word: (10, n) for n, word in enumerate(_ORDINALS)}
NUMBER_WORDS |= {word[:-1] + "ieth": (10, 10 * n) for n, word in enumerate(_TENS, 2)}
NUMBER_WORDS |= {"hundredth": (10, 100)} | {word + "th": (10, n) for word, n in SCALES.items()}
LONGEST_NUMBER_WORD = max(map(len, NUMBER_WORDS))

FILLERS = frozenset(["um", "uh", "er", "erm", "uhm", "ahem", "hmm", "hm", "mm", "ehm", "uhh", "umm"])

# heard as a digit only inside a run of digits
DIGIT_HOMOPHONES = {
    "to": 2, "too": 2, "for": 4, "fore": 4, "ate": 8, "won": 1, "tree": 3, "sex": 6, "sicks": 6, "fife": 5, "nein": 9,
}  # fmt: skip

NATO = {
    "alpha": "a", "alfa": "a", "bravo": "b", "charlie": "c", "delta": "d", "echo": "e", "foxtrot": "f", "golf": "g",
    "hotel": "h", "india": "i", "juliet": "j", "juliett": "j", "kilo": "k", "lima": "l", "mike": "m",
    "november": "n", "oscar": "o", "papa": "p", "quebec": "q", "romeo": "r", "sierra": "s", "tango": "t",
    "uniform": "u", "victor": "v", "whiskey": "w", "whisky": "w", "xray": "x", "yankee": "y", "zulu": "z",
}  # fmt: skip
LETTER_NAMES = {
    "ay": "a", "bee": "b", "cee": "c", "dee": "d", "ee": "e", "eff": "f", "ef": "f", "gee": "g", "aitch": "h",
    "haitch": "h", "jay": "j", "kay": "k", "ell": "l", "el": "l", "em": "m", "en": "n", "pee": "p", "cue": "q",
    "queue": "q", "ar": "r", "ess": "s", "es": "s", "tee": "t", "vee": "v", "ex": "x", "wye": "y", "zee": "z",
    "zed": "z", "doubleu": "w", "dubya": "w", "doubleyou": "w",
}  # fmt: skip
# ordinary words that sound like a letter: only between other symbols of a spelling
LETTER_HOMOPHONES = {
    "be": "b", "see": "c", "sea": "c", "gay": "g", "eye": "i", "aye": "i", "pea": "p", "are": "r", "tea": "t",
    "you": "u", "why": "y", "jae": "j", "oh": "o", "and": "n", "hey": "a", "eh": "a",
}  # fmt: skip
SEPARATOR_WORDS = frozenset(
    ["dash", "hyphen", "minus", "space", "slash", "stroke", "dot", "point", "period", "comma", "underscore"]
)

MONTHS = {
    name: n
    for n, names in enumerate(
        ["january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug", "september sept sep", "october oct", "november nov", "december dec"],
        1,
    )
    for name in names.split()
}
MONTH_NAMES = (
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]
)
WEEKDAY_NAMES = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
WEEKDAYS = {
    name: n
    for n, names in enumerate(
        ["monday mon", "tuesday tue tues", "wednesday wed weds", "thursday thu thur thurs", "friday fri", "saturday sat", "sunday sun"]
    )
    for name in names.split()
}
