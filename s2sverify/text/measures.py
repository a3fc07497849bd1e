"""Units: every way they are written and said, under one canonical name each."""

from __future__ import annotations

import re
from functools import lru_cache

from s2sverify.text.lattice import Lattice, fold

# canonical name: singular words and abbreviations; words of one name joined by hyphens
_UNITS = """
mm: millimeter millimetre mil
cm: centimeter centimetre
dm: decimeter decimetre
m: meter metre
km: kilometer kilometre klick
in: inch inches
ft: foot feet
yd: yard
mi: mile
nmi: nautical-mile
µm: micrometer micrometre micron um
nm: nanometer nanometre
mg: milligram milligramme
mcg: microgram µg ug
g: gram gramme gr gm
kg: kilogram kilogramme kilo
t: ton tonne
metric ton: metric-ton metric-tonne
lb: pound lbs
oz: ounce ozs
st: stone
ml: milliliter millilitre
cl: centiliter centilitre
dl: deciliter decilitre
l: liter litre
kl: kiloliter kilolitre kilo-liter kilo-litre
gal: gallon gals
qt: quart
pt: pint
cup: cup
tbsp: tablespoon
tsp: teaspoon
fl oz: fluid-ounce
bbl: barrel
°C: °-celsius degree-celsius celsius degree-c deg-c c centigrade degree-centigrade
°F: °-fahrenheit degree-fahrenheit fahrenheit degree-f deg-f f
K: kelvin degree-kelvin
°: degree deg
s: second sec secs
ms: millisecond msec
min: minute mins
h: hour hr hrs
day: day d
week: week wk wks
month: month mo mth
year: year yr yrs
decade: decade
century: century centuries
km/h: kilometer-per-hour kilometre-per-hour kph kmh kmph km-per-hour kilometer-an-hour kilometers-an-hour
mph: mile-per-hour mile-an-hour miles-an-hour mi-per-hour mi/h
m/s: meter-per-second metre-per-second mps
ft/s: foot-per-second feet-per-second
kn: knot
km²: square-kilometer square-kilometre sq-km kmsq km2 km^2
m²: square-meter square-metre sq-m msq m2 m^2
ft²: square-foot square-feet sq-ft ftsq sqft ft2 ft^2
mi²: square-mile sq-mi misq mi2
in²: square-inch square-inches sq-in insq in2
yd²: square-yard sq-yd ydsq
cm²: square-centimeter square-centimetre cmsq cm2
mm²: square-millimeter square-millimetre mmsq
m³: cubic-meter cubic-metre mcu m3 m^3
cm³: cubic-centimeter cubic-centimetre cc cmcu cm3
km³: cubic-kilometer cubic-kilometre kmcu
ft³: cubic-foot cubic-feet cu-ft ftcu
in³: cubic-inch cubic-inches incu
yd³: cubic-yard ydcu
dm³: cubic-decimeter cubic-decimetre dmcu
acre: acre ac
ha: hectare
W: watt
mW: milliwatt
kW: kilowatt
MW: megawatt
GW: gigawatt
TW: terawatt
kWh: kilowatt-hour kilowatthour kilo-watt-hour kwhr
MWh: megawatt-hour
GWh: gigawatt-hour
Wh: watt-hour
V: volt
mV: millivolt
kV: kilovolt
A: ampere amp
mA: milliampere milliamp
mAh: milliamp-hour milliampere-hour
Ah: amp-hour ampere-hour
Hz: hertz
kHz: kilohertz
MHz: megahertz
GHz: gigahertz
bit: bit
Kb: kilobit kbit
Mb: megabit mbit
Gb: gigabit gbit
Tb: terabit
B: byte
KB: kilobyte
MB: megabyte meg
GB: gigabyte gig
TB: terabyte
PB: petabyte
bps: bit-per-second
kbps: kilobit-per-second
mbps: megabit-per-second mb/s
gbps: gigabit-per-second gb/s
MB/s: megabyte-per-second
J: joule
kJ: kilojoule
MJ: megajoule
cal: calorie
kcal: kilocalorie
Pa: pascal
hPa: hectopascal
kPa: kilopascal
MPa: megapascal
bar: bar
mbar: millibar
atm: atmosphere
psi: pound-per-square-inch pounds-per-square-inch pounds-force-per-square-inch
hp: horsepower
N: newton
kN: kilonewton
Nm: newton-meter newton-metre
dB: decibel
rpm: revolution-per-minute rotation-per-minute
bpm: beat-per-minute
fps: frame-per-second
ohm: ohm Ω
kΩ: kiloohm kilo-ohm
lm: lumen
lx: lux
cd: candela
mol: mole
F: farad
px: pixel
dpi: dot-per-inch
mg/dl: milligram-per-deciliter
mmHg: millimeter-of-mercury
g/cm³: gram-per-cubic-centimeter
kg/m³: kilogram-per-cubic-meter
ppm: part-per-million
mpg: mile-per-gallon
lb/ft: pound-per-foot
"""
_LONGEST = 6  # atoms of one unit
_INVARIANT = (
    "foot",
    "feet",
    "inches",
    "hertz",
    "horsepower",
    "lux",
    "centuries",
    "celsius",
    "fahrenheit",
)


def _plural(form: str) -> list[str]:
    head, per, rest = form.partition("-per-")
    first, joint, last = head.rpartition("-")
    if head.startswith("degree-"):
        return ["degrees" + head.removeprefix("degree") + per + rest]
    if (
        len(last) < 2
        or last in ("in", "kn")
        or last.endswith((*_INVARIANT, "s"))
        or not last.isalpha()
    ):
        return []
    return [f"{first}{joint}{last}s{per}{rest}"]


_PREFIXES = re.compile(r"(kilo|mega|giga|tera|milli|centi|micro|nano|hecto)(?=[a-z]{4})")


def _forms(form: str) -> list[str]:
    """A form with its plurals, and with the prefix apart ("kilo calories")."""
    out = [form, *_plural(form)]
    return out + [apart for one in out if (apart := _PREFIXES.sub(r"\1-", one)) != one]


def _key(form: str) -> tuple[str, ...]:
    text = fold(form).lower().replace("°", " ° ").replace("/", " / ").replace("-", " ")
    return tuple(text.split())


@lru_cache(maxsize=1)
def _table() -> dict[tuple[str, ...], str]:
    """Words of a unit (folded, lower case) -> canonical name; the first line that claims a form keeps it."""
    out: dict[tuple[str, ...], str] = {}
    for line in _UNITS.strip().splitlines():
        name, _, rest = line.partition(":")
        for form in [name.replace(" ", "-"), *rest.split()]:
            for one in _forms(form):
                out.setdefault(_key(one), name)
    return out


@lru_cache(maxsize=1)
def _exact() -> dict[str, str]:
    """Units whose capitals tell them apart ("MB" and "Mb")."""
    names = [line.partition(":")[0] for line in _UNITS.strip().splitlines()]
    out = {name: name for name in names if not name.islower()}
    return out | {"kB": "KB", "kb": "KB", "mb": "MB", "gb": "GB", "tb": "TB", "C": "°C", "M": "m"}


def unit_named(text: str) -> str | None:
    """The canonical unit that a whole text writes or says, None where it is none."""
    text = text.strip().rstrip(".")
    return _exact().get(text) or _table().get(_key(text))


def unit_at(lat: Lattice, j: int) -> tuple[int, str] | None:
    """The longest unit at atom `j`: position after it, and its canonical name."""
    if j >= lat.n or any(c in lat.pre[j] for c in ",.;?!:"):
        return None
    table = _table()
    words: list[str] = []
    best: tuple[int, str] | None = None
    for k in range(j, min(lat.n, j + _LONGEST)):
        if k > j:
            if any(c in lat.pre[k] for c in ",.;?!"):
                break
            if "/" in lat.pre[k]:
                words.append("/")
        words.append(lat.text[k])
        name = table.get(tuple(words))
        if name is not None:
            best = k + 1, name
    if best is None or best[0] > j + 1:
        return best
    if lat.apart(j) and not _stands_as_unit(lat, j):
        return None
    return j + 1, _exact().get(lat.raw[j], best[1]) if not lat.shouted else best[1]


def _stands_as_unit(lat: Lattice, j: int) -> bool:
    """Whether a short abbreviation behind a blank is a unit and not an ordinary word ("12 in Boston", "5 a day")."""
    word = lat.text[j]
    if word == "in":
        return j + 1 >= lat.n or bool(lat.pre[j + 1].strip()) or lat.text[j + 1] in _AFTER_INCHES
    if word == "a":
        return lat.raw[j] == "A" and not lat.says(j + 1, "m")
    return not (
        word in ("d", "t", "b") and j + 1 < lat.n and lat.close(j + 1) and len(lat.text[j + 1]) == 1
    )


_AFTER_INCHES = frozenset(
    {"by", "wide", "long", "tall", "deep", "high", "thick", "x", "is", "and", "right", "down", "as"}
)


__all__ = ["unit_at", "unit_named"]
