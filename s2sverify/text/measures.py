"""Units: every way they are written and said, under one canonical name each."""

from __future__ import annotations

from functools import lru_cache

from s2sverify.text.lattice import fold

# canonical: singular words and abbreviations
_UNITS = """
mm: millimeter millimetre mil
cm: centimeter centimetre
m: meter metre
km: kilometer kilometre klick k
in: inch inches "
ft: foot feet '
yd: yard
mi: mile
mg: milligram milligramme
g: gram gramme gr
kg: kilogram kilogramme kilo
t: ton tonne
metric ton: metric-ton
lb: pound lbs
oz: ounce ozs
st: stone
ml: milliliter millilitre
cl: centiliter centilitre
l: liter litre
kl: kiloliter kilolitre kilo-liter
gal: gallon gals
qt: quart
pt: pint
cup: cup
tbsp: tablespoon
tsp: teaspoon
fl oz: fluid-ounce
°C: degree-celsius celsius degree-c c centigrade degree-centigrade
°F: degree-fahrenheit fahrenheit degree-f f
K: kelvin
°: degree
s: second sec secs
ms: millisecond
min: minute mins
h: hour hr hrs
day: day d
week: week wk wks
month: month mo
year: year yr yrs
km/h: kilometer-per-hour kilometre-per-hour kph kmh kmph km-per-hour
mph: mile-per-hour
m/s: meter-per-second metre-per-second
km²: square-kilometer square-kilometre sq-km kmsq km2
m²: square-meter square-metre sq-m msq m2
ft²: square-foot square-feet sq-ft ftsq sqft ft2
mi²: square-mile sq-mi
in²: square-inch square-inches sq-in
cm²: square-centimeter square-centimetre cmsq
m³: cubic-meter cubic-metre mcu m3
cm³: cubic-centimeter cubic-centimetre cc cmcu
ft³: cubic-foot cubic-feet cu-ft
acre: acre
ha: hectare
W: watt
kW: kilowatt
MW: megawatt
GW: gigawatt
kWh: kilowatt-hour kilowatthour
V: volt
mV: millivolt
kV: kilovolt
A: ampere amp
mA: milliampere milliamp
mAh: milliamp-hour milliampere-hour
Hz: hertz
kHz: kilohertz
MHz: megahertz
GHz: gigahertz
bit: bit
kb: kilobit
mb: megabit
gb: gigabit
B: byte
KB: kilobyte
MB: megabyte meg
GB: gigabyte gig
TB: terabyte
PB: petabyte
kbps: kilobit-per-second
mbps: megabit-per-second
gbps: gigabit-per-second
J: joule
kJ: kilojoule
cal: calorie
kcal: kilocalorie
Pa: pascal
kPa: kilopascal
bar: bar
psi: pound-per-square-inch pounds-per-square-inch
hp: horsepower
N: newton
dB: decibel
rpm: revolution-per-minute
bpm: beat-per-minute
ohm: ohm Ω
lm: lumen
mol: mole
mcg: microgram µg ug
µm: micrometer micrometre micron um
nm: nanometer nanometre
%: percent
"""


def _plural(word: str) -> list[str]:
    head, _, rest = word.partition("-per-")
    rest = f"-per-{rest}" if rest else ""
    parts = head.split("-")
    if len(parts) > 1 and parts[0] == "degree":
        return ["degrees-" + "-".join(parts[1:]) + rest]
    if head.endswith(("foot", "feet", "inches", "hertz", "horsepower")) or len(head) < 3:
        return []
    return [head + "s" + rest]


@lru_cache(maxsize=1)
def table() -> dict[tuple[str, ...], str]:
    """Words of a unit (folded, lower case) -> canonical name."""
    out: dict[tuple[str, ...], str] = {}
    for line in _UNITS.strip().splitlines():
        name, _, rest = line.partition(":")
        for word in [name.replace(" ", "-"), *rest.split()]:
            for form in [word, *_plural(word)]:
                out.setdefault(_key(form), name)
    return out


def _key(form: str) -> tuple[str, ...]:
    text = fold(form).lower().replace("°", " ° ").replace("/", " / ").replace("-", " ")
    return tuple(text.split())


@lru_cache(maxsize=4_096)
def unit_of(words: tuple[str, ...]) -> str | None:
    return table().get(words)


def unit_named(text: str) -> str | None:
    """The canonical unit that `text` writes or says, None where it is none."""
    exact = _EXACT.get(text.strip())
    return exact or table().get(_key(text.strip()))


_EXACT = {
    "MB": "MB",
    "Mb": "mb",
    "GB": "GB",
    "Gb": "gb",
    "KB": "KB",
    "kB": "KB",
    "B": "B",
    "C": "°C",
    "F": "°F",
    "K": "K",
    "M": "m",
}

__all__ = ["table", "unit_named", "unit_of"]
