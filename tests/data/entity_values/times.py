"""The calendar and the clock: date, time, datetime, weekday."""

# ruff: noqa: SIM905 - word lists read better as one string

from __future__ import annotations

import datetime as dt
from random import Random

from entity_values.base import (
    ONES,
    TEEN_TY,
    Reading,
    Value,
    below_hundred,
    f,
    ordinal_suffix,
    ordinal_words,
    r,
)

# ---- date

MONTHS = (
    "January February March April May June July August September October November December"
).split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
NEAR_MONTHS = {1: [6, 2], 2: [1], 3: [5], 4: [8], 5: [3], 6: [7, 1], 7: [6], 8: [4], 9: [11, 12],
               10: [8, 12], 11: [12, 9], 12: [11, 9]}  # fmt: skip


def date_value(d: dt.date, locale: str = "en-US") -> Value:
    return Value("date", d.isoformat(), {"d": d, "marks": {
        MONTHS[d.month - 1].lower(), str(d.day), str(d.year), DAYS[d.weekday()].lower()}}, None, locale)  # fmt: skip


def make_date(rng: Random) -> Value:
    year = rng.choice([2025, 2026, 2026, 2027, 2024, rng.randrange(1950, 2010)])
    month = rng.randrange(1, 13)
    day = rng.choice([13, 30 if month != 2 else 13, rng.randrange(1, 29), rng.randrange(1, 29)])
    locale = rng.choice(["en-US"] * 5 + ["en-GB", "en-AU", "en-IN"])
    return date_value(dt.date(year, month, day), locale)


def year_words(y: int, rng: Random) -> str:
    if 2000 <= y < 2010:
        tail = f" {ONES[y - 2000]}" if y > 2000 else ""
        return f"two thousand{rng.choice([' and', '']) if tail else ''}{tail}"
    if y >= 2010 and rng.random() < 0.3:
        return f"two thousand {rng.choice(['', 'and '])}{below_hundred(y - 2000)}"
    tail = y % 100
    return f"{below_hundred(y // 100)} {below_hundred(tail) if tail > 9 else 'oh ' + ONES[tail]}"


def read_date(v: Value, rng: Random, *, plain: bool = False) -> list[Reading]:
    d: dt.date = v.data["d"]
    month, day, o = MONTHS[d.month - 1], ordinal_words(d.day), ordinal_suffix(d.day)
    week = DAYS[d.weekday()]
    year = year_words(d.year, rng)
    us = v.locale == "en-US"
    low = month.lower()
    out = [
        r("month_day", f"{low} {day}"),
        r("month_the_day", f"{low} the {day}"),
        r("the_day_of_month", f"the {day} of {low}"),
        r("month_day_year", f"{low} {day} {year}", "year"),
        r("month_day_year", f"{low} {day}, {year}", "year"),
        r("day_of_month_year", f"the {day} of {low} {year}", "year"),
        r("weekday_month_day", f"{week.lower()} {low} {day}", "week"),
        r("weekday_the_day", f"{week.lower()} the {day} of {low}", "week"),
        r("month_cardinal", f"{low} {below_hundred(d.day)}"),
        f("Month_D", f"{month} {d.day}"),
        f("Month_Do", f"{month} {o}"),
        f("Month_D_Y", f"{month} {d.day}, {d.year}", "year"),
        f("Month_Do_Y", f"{month} {o}, {d.year}", "year"),
        f("D_Month_Y", f"{d.day} {month} {d.year}", "year"),
        f("the_Do_of", f"the {o} of {month}"),
        f("week_Month_D", f"{week}, {month} {d.day}", "week"),
        f("week_Month_Do_Y", f"{week}, {month} {o}, {d.year}", "week", "year"),
        f("iso", d.isoformat(), "year"),
    ]
    if month != "May":
        out.append(f("Mon_D", f"{month[:3]} {d.day}"))
    if not plain:
        a, b = (d.month, d.day) if us else (d.day, d.month)
        out += [
            f("numeric", f"{a}/{b}/{d.year}", "year", "numeric"),
            f("numeric_padded", f"{a:02d}/{b:02d}/{d.year}", "year", "numeric"),
            f("numeric_short", f"{a}/{b}/{d.year % 100:02d}", "year", "numeric"),
        ]
        if us:
            out.append(r("numbers", f"{ONES[d.month]} {below_hundred(d.day)} {year}", "year", "numeric")
                       if d.day > 12 and d.year < 2000 else r("month_day", f"{low} {day}"))  # fmt: skip
    if not us:
        out += [
            r("day_month", f"{day} {low}"),
            r("day_month_year", f"{day} {low} {year}", "year"),
            f("Do_Month", f"{o} {month}"),
            f("D_Month", f"{d.day} {month}"),
        ]
    return out


def shift_date(d: dt.date, **parts: int) -> dt.date | None:
    try:
        return d.replace(**parts)
    except ValueError:
        return None


def miss_date(v: Value, reading: Reading, rng: Random) -> list[tuple[str, Value]]:
    d: dt.date = v.data["d"]
    out: list[tuple[str, dt.date | None]] = [
        (
            "day",
            shift_date(d, day=d.day + rng.choice([1, 2, 7, 10]))
            if d.day < 20
            else shift_date(d, day=d.day - rng.choice([1, 2, 7, 10])),
        ),
        ("month", shift_date(d, month=rng.choice(NEAR_MONTHS[d.month]))),
        ("month", shift_date(d, month=rng.choice(NEAR_MONTHS[d.month]))),
        ("other_month", shift_date(d, month=rng.choice([m for m in range(1, 13) if m != d.month]))),
    ]
    if d.day in (13, 30):
        out += [("teen_ty", shift_date(d, day=43 - d.day))] * 3
    if d.day in (3, 20):
        out.append(("day", shift_date(d, day=23)))
    if "year" in reading.flags:
        out += [("year", shift_date(d, year=d.year + rng.choice([-1, 1, 10])))] * 2
    if "numeric" in reading.flags and d.day <= 12 and d.day != d.month:
        out += [("day_month_swapped", d.replace(day=d.month, month=d.day))] * 4
    return [(c, date_value(x, v.locale)) for c, x in out if x and x != d]


# ---- time


def time_value(h: int, m: int, locale: str = "en-US", form: str = "iso") -> Value:
    iso = f"{h:02d}:{m:02d}"
    data = {"h": h, "m": m, "form": form, "marks": {str(h), str(h % 12 or 12), str(m)}}
    if form == "iso":
        return Value("time", iso, data, None, locale)
    return Value("time", f"{h % 12 or 12}:{m:02d} {'AM' if h < 12 else 'PM'}", data, iso, locale)


def make_time(rng: Random) -> Value:
    h = rng.choice([*range(6, 22), 0, 12, 12, 23])
    m = rng.choice(
        [0, 0, 15, 30, 45, 5, 10, 20, 50, 55, 40, 13, 14, rng.randrange(60), rng.randrange(60)]
    )
    locale = rng.choice(["en-US"] * 5 + ["en-GB", "en-GB"])
    return time_value(h, m, locale, rng.choice(["iso", "iso", "ampm"]))


def day_part(h: int) -> str:
    if h < 12:
        return "in the morning"
    if h < 17:
        return "in the afternoon"
    return "in the evening" if h < 21 else "at night"


def read_time(v: Value, rng: Random) -> list[Reading]:
    h, m = v.data["h"], v.data["m"]
    h12, half = h % 12 or 12, "am" if h < 12 else "pm"
    hour = below_hundred(h12)
    nxt = below_hundred((h + 1) % 12 or 12)
    minute = "" if m == 0 else (f"oh {ONES[m]}" if m < 10 else below_hundred(m))
    clock = f"{hour} {minute}".strip()
    spoken_half = rng.choice([" ".join(half), half])
    parts = day_part(h) if h >= 5 else ""
    dotted = f"{half[0]}.m."
    out = [
        r("words_half", f"{clock} {spoken_half}", "half"),
        r("words_half", f"{clock} {spoken_half}", "half"),
        f("figures_half", f"{h12}:{m:02d} {half.upper()}", "half"),
        f("figures_half", f"{h12}:{m:02d} {half.upper()}", "half"),
        f("figures_dotted_half", f"{h12}:{m:02d} {dotted}", "half"),
        f("figures_tight_half", f"{h12}:{m:02d}{half}", "half"),
        f("figures", f"{h12}:{m:02d}"),
    ]
    if 3 <= h12 <= 11 or m:
        out.append(r("words", clock if m else f"{hour} o'clock"))
    if parts and h not in (0, 12):
        out.append(
            r(
                "day_part",
                f"{clock if m else hour + rng.choice([chr(32) + 'o' + chr(39) + 'clock', ''])} {parts}",
                "half",
            )
        )
        out.append(
            f("figures_day_part", f"{h12}:{m:02d} {parts}" if m else f"{h12} {parts}", "half")
        )
    if m == 0:
        out.append(f("hour_half", f"{h12} {half.upper()}", "half"))
        out.append(f("hour_half", f"{h12}{half}", "half"))
        if h == 12:
            out += [r("noon", rng.choice(["noon", "twelve noon", "noon"]), "half")] * 5
        if h == 0:
            out += [r("midnight", rng.choice(["midnight", "twelve midnight"]), "half")] * 5
        if 1 <= h12 <= 12 and h not in (0, 12):
            out.append(
                r("oclock_half", f"{hour} o'clock {parts}".strip(), *(["half"] if parts else []))
            )
    if m == 30:
        out += [
            r("half_past", f"half past {hour}"),
            r("half_past", f"half past {hour} {spoken_half}", "half"),
        ]
        if v.locale == "en-GB":
            out += [r("half_hour_british", f"half {hour}")] * 2
    if m == 15:
        to = rng.choice(["past", "past", "after"])
        out += [r("quarter_past", f"{rng.choice(['', 'a '])}quarter {to} {hour}")] * 2
    if m == 45:
        to = rng.choice(["to", "to", "till", "of"] if v.locale == "en-US" else ["to"])
        out += [r("quarter_to", f"{rng.choice(['', 'a '])}quarter {to} {nxt}")] * 2
    if m in (5, 10, 20, 25):
        to = rng.choice(["past", "past", "after"] if v.locale == "en-US" else ["past"])
        out += [r("minutes_past", f"{below_hundred(m)} {to} {hour}")] * 2
    if m in (35, 40, 50, 55):
        out += [r("minutes_to", f"{below_hundred(60 - m)} to {nxt}")] * 2
    if h >= 13:
        out.append(f("figures_24", f"{h}:{m:02d}", "half", "24"))
        if m > 9:
            out.append(r("words_24", f"{below_hundred(h)} {minute}", "half", "24"))
        if m == 0:
            out.append(r("hundred_hours", f"{below_hundred(h)} hundred hours", "half", "24"))
    if v.locale == "en-GB":
        out.append(f("figures_point", f"{h12}.{m:02d}{half}", "half"))
        out.append(f("figures_point", f"{h12}.{m:02d} {half}", "half"))
    return out


def miss_time(v: Value, reading: Reading, rng: Random) -> list[tuple[str, Value]]:
    h, m = v.data["h"], v.data["m"]
    out: list[tuple[str, int, int]] = []
    if "half" in reading.flags:
        out += [("am_pm", (h + 12) % 24, m)] * 3
    out.append(("hour", (h + rng.choice([1, 2, 23])) % 24, m))
    if str(m) in TEEN_TY and int(TEEN_TY[str(m)]) < 60:
        out += [("teen_ty", h, int(TEEN_TY[str(m)]))] * 4
    if reading.style in ("quarter_past", "quarter_to"):
        out += [
            ("past_to", h, 60 - m),
            ("past_to", (h - 1) % 24 if m == 15 else (h + 1) % 24, 60 - m),
        ]
    if m == 30:
        out += [("half_hour", (h - 1) % 24, m), ("half_hour", h, rng.choice([15, 0]))]
    if m and 0 < 60 - m < 60 and reading.style in ("minutes_to", "minutes_past"):
        out += [
            ("past_to", (h + 1) % 24 if reading.style == "minutes_to" else (h - 1) % 24, 60 - m)
        ] * 2
    out.append(("minutes", h, (m + rng.choice([1, 5, 10, 50])) % 60))
    if m > 9 and m % 10 != m // 10 and m % 10 < 6:
        out.append(("transposed", h, int(f"{m:02d}"[::-1])))
    if m == 0:
        out.append(("minutes_added", h, rng.choice([15, 30, 5])))
    res = []
    for c, hh, mm in out:
        if c != "am_pm" and (hh * 60 + mm - h * 60 - m) % 720 == 0:
            continue
        if c == "am_pm" and "24" in reading.flags and h < 13:
            continue
        res.append((c, time_value(hh, mm, v.locale, v.data["form"])))
    return res


# ---- datetime


def datetime_value(t: dt.datetime) -> Value:
    d = t.date()
    marks = date_value(d).data["marks"] | {str(t.hour), str(t.hour % 12 or 12), str(t.minute)}
    return Value("datetime", t.isoformat(timespec="minutes"), {"t": t, "marks": marks})


def make_datetime(rng: Random) -> Value:
    while True:
        d = make_date(rng).data["d"]
        if d.year >= 2024:
            break
    h = rng.choice([*range(7, 22), 12])
    return datetime_value(
        dt.datetime.combine(d, dt.time(h, rng.choice([0, 0, 15, 30, 45, 10, 40, 5, 50])))
    )


def read_datetime(v: Value, rng: Random) -> list[Reading]:
    t: dt.datetime = v.data["t"]
    dates = read_date(date_value(t.date()), rng, plain=True)
    clocks = read_time(time_value(t.hour, t.minute), rng)
    out = []
    for _ in range(14):
        a, b = rng.choice(dates), rng.choice(clocks)
        if a.spelled != b.spelled or "24" in b.flags or a.style == "iso":
            continue
        joint = rng.choice([" at ", " at ", ", at "])
        text, style = f"{a.text}{joint}{b.text}", f"{a.style}+{b.style}"
        if rng.random() < 0.25:
            text, style = f"{b.text} on {a.text}", f"{b.style}+{a.style}"
        out.append(Reading(style, text, a.spelled, a.flags | b.flags))
    return out or read_datetime(v, rng)


def miss_datetime(v: Value, reading: Reading, rng: Random) -> list[tuple[str, Value]]:
    t: dt.datetime = v.data["t"]
    out = []
    for c, x in miss_time(time_value(t.hour, t.minute), reading, rng):
        out.append((c, t.replace(hour=x.data["h"], minute=x.data["m"])))
    for c, y in miss_date(date_value(t.date()), reading, rng):
        out.append((c, dt.datetime.combine(y.data["d"], t.time())))
    return [(c, datetime_value(x)) for c, x in out]


# ---- weekday


def weekday_value(i: int) -> Value:
    return Value("weekday", DAYS[i % 7], {"i": i % 7, "marks": {DAYS[i % 7].lower()}})


def make_weekday(rng: Random) -> Value:
    return weekday_value(rng.randrange(7))


def read_weekday(v: Value, rng: Random) -> list[Reading]:
    name = v.written
    return [
        r("word", name.lower()),
        f("capital", name),
        f("capital", name),
        r("word", name.lower()),
    ]


def miss_weekday(v: Value, reading: Reading, rng: Random) -> list[tuple[str, Value]]:
    i = v.data["i"]
    near = {1: 3, 3: 1, 5: 6, 6: 5}
    out = [("weekday", weekday_value(i + rng.randrange(1, 7))), ("next_day", weekday_value(i + 1))]
    if i in near:
        out += [("similar_weekday", weekday_value(near[i]))] * 3
    return out
