"""Words that numbers, spellings, clocks and calendars are said with. Tables only; English of four countries."""

from __future__ import annotations

# Classes of atoms. Those that numbers are made of come first: `cls <= LAST_NUMERIC` asks "part of a number?".
FIGURE, ONE, TEEN, TENS, HUNDRED, SCALE, OH = range(1, 8)
LAST_NUMERIC = OH
TIMES, ORDINAL_FIGURE, ORDINAL_WORD, LETTER, SYMBOL, OTHER = range(8, 14)


def in_order(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ONES_IN_WORDS = in_order("zero one two three four five six seven eight nine")
TEENS_IN_WORDS = in_order(
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
TENS_IN_WORDS = in_order("twenty thirty forty fifty sixty seventy eighty ninety")
SCALES = {
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "quadrillion": 10**15,
    "quintillion": 10**18, "sextillion": 10**21, "septillion": 10**24, "lakh": 10**5, "crore": 10**7,
}  # fmt: skip
GLUED_SCALES = {
    "k": 10**3, "m": 10**6, "mn": 10**6, "mio": 10**6, "bn": 10**9, "b": 10**9, "tn": 10**12,
}  # fmt: skip
_ORDINALS = in_order(
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
    " thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
)

NUMBER_WORDS: dict[str, tuple[int, int]] = {
    **{word: (ONE, n) for n, word in enumerate(ONES_IN_WORDS)},
    **dict.fromkeys(("naught", "nought", "nil"), (ONE, 0)),
    "niner": (ONE, 9),
    **{word: (TEEN, n) for n, word in enumerate(TEENS_IN_WORDS, 10)},
    **{word: (TENS, 10 * n) for n, word in enumerate(TENS_IN_WORDS, 2)},
    "fourty": (TENS, 40),
    "ninty": (TENS, 90),
    "hundred": (HUNDRED, 100),
    "hundreds": (HUNDRED, 100),
    **{word: (SCALE, n) for word, n in SCALES.items()},
    **{word + "s": (SCALE, n) for word, n in SCALES.items()},
    "lac": (SCALE, 10**5),
    "lacs": (SCALE, 10**5),
    "oh": (OH, 0),
    "o": (OH, 0),
    "double": (TIMES, 2),
    "triple": (TIMES, 3),
    "treble": (TIMES, 3),
    "quadruple": (TIMES, 4),
    **{word: (ORDINAL_WORD, n) for n, word in enumerate(_ORDINALS)},
    **{word[:-1] + "ieth": (ORDINAL_WORD, 10 * n) for n, word in enumerate(TENS_IN_WORDS, 2)},
    "hundredth": (ORDINAL_WORD, 100),
    **{word + "th": (ORDINAL_WORD, n) for word, n in SCALES.items()},
}
"""Word -> class and number."""
LONGEST_NUMBER_WORD = max(map(len, NUMBER_WORDS))

FILLERS = words("um uh er erm uhm ahem hmm hm mm mhm ehm uhh umm")

DIGIT_HOMOPHONES = {"to": "2", "too": "2", "for": "4", "fore": "4", "ate": "8", "won": "1"}
"""Heard as a digit only between digits."""

NATO = {
    "alpha": "a", "alfa": "a", "bravo": "b", "charlie": "c", "delta": "d", "echo": "e", "foxtrot": "f", "golf": "g",
    "hotel": "h", "india": "i", "juliet": "j", "juliett": "j", "juliette": "j", "kilo": "k", "lima": "l", "mike": "m",
    "november": "n", "oscar": "o", "papa": "p", "quebec": "q", "romeo": "r", "sierra": "s", "tango": "t",
    "uniform": "u", "victor": "v", "whiskey": "w", "whisky": "w", "xray": "x", "yankee": "y", "zulu": "z",
}  # fmt: skip
LETTER_NAMES = {
    "ay": "a", "bee": "b", "cee": "c", "dee": "d", "ee": "e", "eff": "f", "ef": "f", "gee": "g",
    "jee": "g", "aitch": "h",
    "haitch": "h", "jay": "j", "kay": "k", "ell": "l", "el": "l", "em": "m", "en": "n", "pee": "p",
    "cue": "q", "kew": "q",
    "queue": "q", "ar": "r", "arr": "r", "ess": "s", "es": "s", "tee": "t", "yoo": "u", "vee": "v",
    "ex": "x", "wye": "y",
    "zee": "z", "zed": "z", "doubleu": "w", "dubya": "w", "doubleyou": "w",
}  # fmt: skip
LETTER_HOMOPHONES = {
    "be": "b", "see": "c", "sea": "c", "eye": "i", "aye": "i", "pea": "p", "are": "r", "tea": "t",
    "you": "u", "why": "y", "hey": "a",
}  # fmt: skip
"""Ordinary words that sound like a letter: only between other symbols of a spelling."""
SEPARATOR_WORDS = words("dash hyphen minus space slash stroke dot point period comma underscore")

MONTH_NAMES = in_order(
    "January February March April May June July August September October November December"
)
MONTHS = {
    **{name.lower(): n for n, name in enumerate(MONTH_NAMES, 1)},
    **{name[:3].lower(): n for n, name in enumerate(MONTH_NAMES, 1)},
    "sept": 9,
}
WEEKDAY_NAMES = in_order("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
WEEKDAYS = {
    **{name.lower(): n for n, name in enumerate(WEEKDAY_NAMES)},
    **{name[:3].lower(): n for n, name in enumerate(WEEKDAY_NAMES)},
    "tues": 1, "weds": 2, "thur": 3, "thurs": 3,
}  # fmt: skip
DAY_PARTS = {"morning": "am", "afternoon": "pm", "evening": "pm", "night": "pm"}

PERCENT_WORDS = words("% percent pct percentage")
CLOCK_WORDS = words("am pm o'clock oclock")
MONEY_WORDS = words(
    "dollar dollars buck bucks cent cents pound pounds quid pence penny euro euros rupee rupees"
    " yen yuan usd gbp eur inr aud cad $ £ € ¥ ₹ ¢ grand"
)
PLURALS = words(
    "people persons children men women kids guests feet inches nights percent degrees pieces bags"
    " boxes items seats rooms tickets days weeks months years hours minutes seconds miles units"
    " adults passengers points copies pages times packages orders stops bottles cups cases pallets"
    " parcels cartons crates kilos grams liters litres gallons meters metres kilometers kilometres"
    " gigabytes megabytes tables chairs beds cars trucks flights doors floors steps questions"
    " options calls messages letters results members players students employees users customers"
    " visitors dogs cats doses tablets pills pounds ounces acres bedrooms bathrooms shares stars"
    " cards photos books songs suitcases travelers travellers payments installments"
)
"""Nouns that numbers often count."""
NO_PLURALS = words(
    "is was as this his its us yes thus has does goes plus minus across always perhaps works"
    " belongs looks ends starts matches expires shows appears reads comes gets needs means sounds"
    " seems stands gives makes says runs leaves arrives opens closes besides towards unless less"
    " press address pass access ours yours hers theirs sometimes afterwards whereas sms gps status"
    " costs equals totals renews ships covers includes applies begins contains exists follows"
    " helps holds keeps lists remains requires sends takes wants weighs uses changes departs lands"
    " boards serves carries allows asks becomes brings buys checks connects continues counts"
    " delivers depends details differs fits falls feels finishes grants happens hits identifies"
    " indicates joins knows lets lives lasts likes links loads moves offers owes pays pertains"
    " puts qualifies reaches receives refers relates represents returns rises saves sells sets"
    " sits speaks stays tells tracks travels tries turns waits wins"
)
"""Words in -s that are no nouns, or seldom, behind a number."""
