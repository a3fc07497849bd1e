"""Sentences for calibration: values drawn at random, each with a near miss that is not spoken.

An error floor needs speech whose words are known. `calibration_sentences` writes it: the turns of an agent,
four to twenty-five words long, that carry one or two values or none. Values are random, so that an engine's
prior for likely words cannot help, and the classes of confusion take turns, so that each is measured.
"""
# ruff: noqa: SIM905  -- word lists are read as prose

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from s2sverify._arrays import as_rng
from s2sverify.errors import InputError
from s2sverify.text.nearmiss import near_misses
from s2sverify.text.render import cardinal_words, ordinal_figures, ordinal_words
from s2sverify.text.vocabulary import MONTH_NAMES, WEEKDAY_NAMES

_GIVEN = (
    "Adele Bruno Carmen Dexter Edith Felix Gloria Hector Imogen Jasper Kirsten Lionel Maribel Nestor "
    "Odette Pascal Quentin Rosalind Silas Thelma Ursula Victor Wanda Yvonne Leonard Miriam Stella Oscar "
    "Bridget Clarence Daphne Everett Harriet Julian Lucinda Malcolm Noreen Percy Regina Stanley"
).split()
_GIVEN_PAIRS = (
    "Dana/Lana Ellen/Helen Tim/Jim Bill/Will Karen/Sharon Gina/Tina Ron/Don Molly/Holly Jean/Dean "
    "Kelly/Shelly Mick/Nick Terry/Jerry Fanny/Sammy Bob/Rob Maya/Naya Penny/Benny Eva/Ava Joan/June"
).split()
_FAMILY_PAIRS = (
    "Dalton/Walton Carver/Garver Fenton/Denton Mason/Nason Parker/Barker Riley/Wiley Larson/Parson "
    "Becker/Decker Tanner/Manner Sutton/Dutton Keller/Heller Miller/Hiller Foster/Koster Harding/Carding "
    "Coleman/Holman Tucker/Rucker Bowen/Cohen Lawson/Dawson Morris/Norris Perry/Berry Nolan/Dolan "
    "Finch/Winch Moore/Shore Baxter/Paxter Conway/Donway Hobbs/Dobbs Sawyer/Lawyer Pike/Dyke "
    "Winslow/Onslow Mercer/Nercer Fuller/Buller Trent/Brent Kirby/Derby Gibbs/Hibbs Stone/Sloan"
).split()

KINDS: Mapping[str, tuple[str, ...]] = {
    "digits": ("substituted", "five_nine", "transposed", "dropped", "doubled"),
    "code": ("letter_confusion", "a_eight", "five_nine", "transposed", "dropped", "substituted"),
    "money": ("teen_ty", "cents", "substituted", "transposed", "five_nine"),
    "percent": ("teen_ty", "substituted", "five_nine"),
    "cardinal": ("teen_ty", "substituted", "five_nine", "transposed"),
    "date": ("day", "month", "teen_ty"),
    "time": ("am_pm", "hour", "teen_ty", "minute"),
    "weekday": ("weekday",),
    "name": ("name_near",),
    "phone": ("substituted", "five_nine", "transposed", "dropped"),
    "decimal": ("cents", "substituted", "transposed"),
}
"""Kinds of value, each with the classes of near miss that its items take turns in; classes as in `near_misses`, and
``a_eight``: the letter A and the figure 8."""

# How an agent says it. A carrier names its slots by kind; a kind occurs once in a carrier.
_CARRIERS = """
Your booking reference is {digits}.
The last digits on file are {digits}.
I have opened ticket {digits} for you.
Please write down {digits} and keep it safe.
Okay, so the account ends in {digits}, correct?
The case is logged under {digits} now.
Use {code} when you check in.
I see the reservation {code} on my screen.
The voucher {code} is still valid.
Just to confirm, the serial starts with {code}.
Thanks for waiting. Your reference is {code}.
Quote {code} if you call again.
The balance on the account is {money}.
Altogether that makes {money}.
We have refunded {money} to your bank.
Your last invoice was {money}, and it has been paid.
The deposit would be {money}.
So the monthly fee goes up to {money}, if you agree.
The interest rate is {percent} at the moment.
About {percent} of the order has shipped.
Members save {percent} on this one.
The battery is at {percent} right now.
We take a service charge of {percent}.
There are {cardinal} boxes in the shipment.
I count {cardinal} items in your basket.
You have {cardinal} points left.
The warranty covers {cardinal} months.
The walk takes {cardinal} minutes or so.
Your plan includes {cardinal} gigabytes.
The contract ends on {date}.
Your parcel should get there by {date}.
The next free day is {date}.
We received your form on {date}.
Payment is due {date}.
The doors open at {time}.
Our driver can be there at {time}.
The office closes at {time} today.
I could call you back at {time}.
Your flight now leaves at {time}, not earlier.
We deliver on {weekday}.
The store is closed every {weekday}.
Could you come in on {weekday} instead?
The replacement goes out on {weekday}.
Nothing has changed since {weekday}.
We can come by on {weekday}, if you like.
The sale starts on {weekday}.
Somebody will call you back on {weekday}.
It was delivered last {weekday}, according to my notes.
How about {weekday}?
You will be speaking with {name}.
The account belongs to {name}.
I have left a message for {name}.
The letter was signed by {name}.
May I put it in the name of {name}?
You can reach them at {phone}.
The number I have for you is {phone}.
Please call {phone} after lunch.
The tank holds {decimal} liters.
The trail is {decimal} miles long.
Your average rating is {decimal} right now.
Ticket {digits} is with {name} now.
The order {digits} comes to {money}.
I have {digits} here, and it is due on {date}.
Case {digits} was closed on {weekday}.
Room {digits} is free from {time} onwards.
We shipped {cardinal} parcels under {digits}.
With the coupon {digits} you get {percent} back.
Your policy {code} renews on {date}.
The item {code} is listed at {money}.
Show {code} at the desk before {time}.
We have {cardinal} of {code} in stock.
Part {code} arrives on {weekday}.
I sent {code} over to {name} a moment ago.
The rate for {code} is {percent} this year.
Track it with {code}, or with {digits} if that fails.
The fare is {money}, and boarding starts at {time}.
The repair costs {money} and takes {cardinal} days.
You still owe {money} from {date}.
A fee of {money} applies, that is {percent} of the total.
On {weekday} the price drops to {money}.
The check for {money} goes to {name}.
We can do {percent} off if you order before {date}.
The chance of rain on {weekday} is {percent}.
After {cardinal} orders you save {percent}.
By {time} we had sold {percent} of the tickets.
We expect {cardinal} guests on {date}.
The tour has {cardinal} stops and starts at {time}.
We need {cardinal} volunteers for {weekday}.
A party of {cardinal} under {name}, is that right?
Your visit is on {date} at {time}.
The meeting with {name} is on {date}.
That is {weekday}, {date}, if it suits you.
The doctor can see you {weekday} at {time}.
You are meeting {name} at {time}, in the lobby.
On {weekday} you will be met by {name}.
Ask for {name}, or dial {phone} from any line.
Call {phone} before {time}, please.
If {time} does not suit you, just text {phone} instead.
The hotline at {phone} is closed until {date}.
On {weekday} you can also reach us under {phone}.
For {code} there is a number of its own, {phone}.
I see {phone} here, with {cardinal} missed calls.
The shop at {phone} quoted {money} for the same job.
The pump moves {decimal} gallons in {cardinal} minutes.
The package weighs {decimal} pounds and ships on {weekday}.
The distance is {decimal} miles, and the ride costs {money}.
Sensor {code} shows {decimal} degrees at the moment.
At {time} the level stood at {decimal} meters.
The score went up to {decimal}, which is {percent} more than last year.
On {date} the rate was {decimal}, as far as I can see.
Unit {digits} used {decimal} kilowatts overnight.
Only {percent} of the {cardinal} seats are taken.
The voucher from {date} is worth {percent} of the price.
Your card will be charged {money} at {time}.
The invoice {digits} was paid by {name}.
Bus {cardinal} to the harbor leaves at {time}.
Gate {code} opens on {date}, not earlier.
I am looking at {digits}, and I can see that a payment of {money} went through without any trouble.
Thanks for your patience. The locker opens with {code}, and it stays reserved for you until {time}.
Let me read that back to you. The pickup is on {date}, and the driver will be {name}.
If you choose the longer plan, you pay {money} up front and get {percent} back when the year is over.
Good news, there is a spot open on {weekday}, and the whole visit should take about {cardinal} minutes.
As far as I can tell, {name} placed the order, and the reference printed on the slip reads {digits}.
I checked with the warehouse, and they have {cardinal} left, so yours would leave on {date}.
To finish the return, please print the label, add {code} to the box, and drop it off by {weekday}.
""".strip().split("\n")

_PROSE = """
I have updated the {thing} {for_whom}.
Let me {act} before we go on.
Please hold the line while I {act}.
The {thing} is ready, and you can {do} whenever you like.
Thanks for calling, how can I help you with your {thing}?
I am sorry about the trouble with the {thing}.
You should get a message about the {thing} {soon}.
Would you like me to {act}, or would you rather {do} yourself?
There is a small problem with the {thing}, but we can fix it {soon}.
Your {thing} has been approved, and nothing else is needed from you.
If the {thing} does not arrive {soon}, please {do} and we will look into it.
I understand how annoying that is, so let me {act}.
Could you please {do} and tell me what you see?
The {person} will explain how the {thing} works.
I spoke with the {person}, and they agreed to {act}.
We cannot change the {thing} while the {person} is still working on it.
That sounds right to me.
No problem at all, I will {act} {for_whom}.
All you have to do is open the {place} and {do}.
The {person} at the {place} can help you with the {thing}.
Great, then I will send the {thing} to the {place}.
Is there anything else about the {thing} that you want to know?
Because the {place} is closed, the {person} asked me to {act}.
It looks like the {thing} was sent to the wrong {place}, and I apologize for that.
Once the {person} signs the form, we will {act} and close the request.
My records show that the {thing} never left the {place}.
You do not need to {do}, since the {person} already took care of it.
I would suggest that you {do} and keep the {thing} in a safe spot.
Unfortunately the {thing} is not available at the {place} anymore.
To be honest, the quickest way is to {do} and ask for the {person}.
""".strip().split("\n")
_FILLERS = {
    "thing": (
        "delivery address/billing details/replacement cable/travel voucher/membership/garden order/"
        "insurance form/missing suitcase/kitchen lamp/service contract/parking permit/medical report/"
        "winter jacket/internet router/rental agreement/gift card/blue folder/security deposit/spare key/"
        "coffee machine/return label/window seat/water filter/damaged screen/loyalty discount"
    ).split("/"),
    "act": (
        "check the notes on your account/look up the right department/talk to my supervisor/"
        "cancel the old request/reset the password/send a new link/move you to the waiting list/"
        "ask the driver to turn around/read the terms again/restart the system on our side/"
        "remove the extra charge/compare the available plans/open a new file/print another copy"
    ).split("/"),
    "do": (
        "pick it up in person/send us a picture/sign the document online/unplug the power cord/"
        "answer the short survey/bring some identification/press the green button/check your spam folder/"
        "leave it with a neighbor/scan the label again/wait in the lounge/download the latest version"
    ).split("/"),
    "person": (
        "manager/mechanic/nurse/delivery driver/front desk/accountant/landlord/engineer/"
        "travel agent/pharmacist/night guard/sales team/instructor/librarian"
    ).split("/"),
    "place": (
        "main entrance/warehouse/branch downtown/airport counter/clinic/hotel lobby/service center/"
        "post office/north gate/garage/customer portal/showroom/harbor office/library"
    ).split("/"),
    "soon": (
        "later this evening/shortly/as soon as possible/by the end of the week/in a little while/"
        "before the holidays/after the weekend/within the hour"
    ).split("/"),
    "for_whom": (
        "for you/for the whole family/as you asked/right away/on your behalf/for your neighbor/"
        "in our system/without any extra cost"
    ).split("/"),
}


_MOST_REFUSED = 200  # draws in a row that only repeat what is written already


@dataclass(frozen=True, slots=True)
class SentenceValue:
    """One value of a sentence, and the near miss of it that nobody speaks."""

    kind: str
    value: str  # canonical: ISO date, 24-hour time, digits, two decimals of a currency
    partner: str | None = None  # differs by one confusion; accepting it is a wrong confirmation
    near_miss: str | None = None  # the class of that confusion


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence whose words are known."""

    id: str
    text: str  # as an agent's own transcript would write it
    spoken: str  # the words to be spoken
    values: tuple[SentenceValue, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As a line of a manifest writes it, without the audio."""
        return {
            "id": self.id,
            "text": self.text,
            "spoken": self.spoken,
            "values": [
                {"kind": v.kind, "value": v.value, "partner": v.partner, "near_miss": v.near_miss}
                for v in self.values
            ],
        }


def calibration_sentences(
    n_per_kind: int,
    *,
    n_prose: int | None = None,
    kinds: Sequence[str] | None = None,
    pairs: float = 0.8,
    rng: int | np.random.Generator = 0,
) -> tuple[Sentence, ...]:
    """Write sentences with `n_per_kind` random values of each kind, and plain ones without values.

    Parameters
    ----------
    n_per_kind : int
        Values of each kind, at least 1. 300 without an error bound a rate at 1 %.
    n_prose : int, optional
        Sentences without values, for the word floor; as many as `n_per_kind` by default.
    kinds : sequence of str, optional
        Of `KINDS`; all by default.
    pairs : float
        Share, in [0, 1], of values that come two to a sentence where a carrier for them exists. Two
        halve the cost of a transcription; one alone is measured without a neighbour.
    rng : int or Generator
        The same seed writes the same sentences.

    Returns
    -------
    tuple of Sentence
        In random order, no words twice. Within a sentence no number of one value occurs in another or in a partner.

    Raises
    ------
    InputError
        If a count is not positive, `pairs` is not in [0, 1], a kind is not one of `KINDS`, or there are not as
        many different sentences (weekdays alone: seven in each carrier).
    """
    kinds = tuple(KINDS) if kinds is None else tuple(kinds)
    for kind in kinds:
        if kind not in KINDS:
            raise InputError(f"kinds must be of {', '.join(KINDS)}, got {kind!r}")
    n_prose = n_per_kind if n_prose is None else n_prose
    for name, n in (("n_per_kind", n_per_kind), ("n_prose", n_prose)):
        if isinstance(n, bool) or n < (name == "n_per_kind"):
            raise InputError(f"{name} must be a positive count, got {n!r}")
    if not 0.0 <= pairs <= 1.0:
        raise InputError(f"pairs must be in [0, 1], got {pairs!r}")
    draw = as_rng(rng)
    carriers = [(line, tuple(_slots(line))) for line in _CARRIERS]
    left = dict.fromkeys(kinds, n_per_kind)
    written: list[tuple[str, str, tuple[SentenceValue, ...]]] = []
    seen: set[str] = set()
    refused = 0
    while any(left.values()):
        open_kinds = [kind for kind in kinds if left[kind]]
        # The kind with most still to place goes first, so that its partners do not run out.
        kind = max(open_kinds, key=lambda k: (left[k], draw.random()))
        both = [c for c in carriers if len(c[1]) == 2 and kind in c[1] and all(map(left.get, c[1]))]
        alone = [c for c in carriers if c[1] == (kind,)]
        line, slots = _pick(
            draw,
            both if both and (draw.random() < pairs or refused > _MOST_REFUSED // 2) else alone,
        )
        turn = {k: (n_per_kind - left[k]) % len(KINDS[k]) for k in slots}
        sentence = _fill(line, {k: KINDS[k][turn[k]] for k in slots}, draw)
        if sentence[1] in seen:  # the same words once more would tell nothing new
            refused += 1
            if refused > _MOST_REFUSED:
                raise InputError(
                    f"n_per_kind is too high for different sentences with a {kind} and pairs={pairs}, "
                    f"got {n_per_kind}"
                )
            continue
        seen.add(sentence[1])
        written.append(sentence)
        refused = 0
        for k in slots:
            left[k] -= 1
    while n_prose:
        text = _prose(draw)
        if text not in seen:
            seen.add(text)
            written.append((text, text, ()))
            n_prose -= 1
    order = draw.permutation(len(written))
    return tuple(
        Sentence(f"s{place:05d}", *written[int(index)]) for place, index in enumerate(order)
    )


def write_clips(
    sentences: Iterable[Sentence], path: str | Path, *, audio: Mapping[str, str] | None = None
) -> None:
    """Write a JSONL manifest, one sentence a line, that `calibrate` reads.

    Parameters
    ----------
    sentences : iterable of Sentence
        What was or will be spoken.
    path : path
        Written beside, then renamed.
    audio : mapping, optional
        Audio file per sentence id, relative to the manifest; by default ``<id>.wav``.
    """
    lines = [
        json.dumps(
            {"audio": (audio or {}).get(s.id, f"{s.id}.wav"), **s.to_dict()}, ensure_ascii=False
        )
        for s in sentences
    ]
    target = Path(path)
    beside = target.with_name(target.name + ".part")
    beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
    beside.replace(target)


# ---------------------------------------------------------------- values and their near misses


class _Drawn(NamedTuple):
    """A value, its near miss, and how the value is written and said in this sentence."""

    value: str
    partner: str
    written: str
    spoken: str


def _draw(kind: str, near_miss: str, rng: np.random.Generator) -> _Drawn:
    """A random value that has a near miss of the class."""
    while True:
        value = _VALUES[kind](rng)
        if kind == "name":
            partner = _other_name(value, rng)
        elif near_miss == "a_eight":
            at = [i for i, symbol in enumerate(value) if symbol in "A8"]
            if not at:
                continue
            i = _pick(rng, at)
            partner = value[:i] + ("8" if value[i] == "A" else "A") + value[i + 1 :]
        else:
            others = [other for other, name in near_misses(value, kind) if name == near_miss]
            if not others:
                continue
            partner = _pick(rng, others)
        if kind == "phone" and (partner[:2] != "+1" or min(partner[2], partner[5]) < "2"):
            continue  # the country may be left unsaid; area code and exchange do not begin with 0 or 1
        written, spoken = _SAY[kind](value, near_miss, rng)
        return _Drawn(value, partner, written, spoken)


def _digits(n: int, rng: np.random.Generator) -> str:
    return "".join(str(int(d)) for d in rng.integers(0, 10, n))


def _code(rng: np.random.Generator) -> str:
    letters = rng.choice(
        list("ABCDEFGHIJKLMNPQRSTUVWXYZ"), int(rng.integers(2, 4))
    )  # no O: it is 0
    return "".join(map(str, letters)) + _digits(int(rng.integers(2, 5)), rng)


def _phone(rng: np.random.Generator) -> str:
    digits = _digits(10, rng)
    return f"+1{2 + int(digits[0]) % 8}{digits[1:3]}{2 + int(digits[3]) % 8}{digits[4:]}"


def _money(rng: np.random.Generator) -> str:
    whole = int(rng.integers(2, 100)) if rng.random() < 0.5 else int(rng.integers(100, 2000))
    cents = int(rng.integers(1, 100)) if rng.random() < 0.8 else 0
    return f"{whole}.{cents:02d}"


def _percent(rng: np.random.Generator) -> str:
    tenth = f".{int(rng.integers(1, 10))}" if rng.random() < 0.1 else ""
    return f"{int(rng.integers(1, 100))}{tenth}"


def _cardinal(rng: np.random.Generator) -> str:
    return str(int(rng.integers(3, 100) if rng.random() < 0.7 else rng.integers(101, 1000)))


def _decimal(rng: np.random.Generator) -> str:
    tens, units = rng.choice(np.arange(1, 10), 2, replace=False)
    return f"{int(rng.integers(1, 60))}.{tens}{units}"


def _date(rng: np.random.Generator) -> str:
    return (date(2027, 1, 1) + timedelta(days=int(rng.integers(0, 365)))).isoformat()


def _time(rng: np.random.Generator) -> str:
    minute = int(_pick(rng, (0, 0, *range(0, 60, 5)) if rng.random() < 0.8 else range(60)))
    return f"{int(rng.integers(6, 23)):02d}:{minute:02d}"


def _name(rng: np.random.Generator) -> str:
    given = _pick(rng, _GIVEN) if rng.random() < 0.7 else _pick(rng, _GIVEN_PAIRS).split("/")[0]
    return f"{given} {_pick(rng, _pick(rng, _FAMILY_PAIRS).split('/'))}"


def _other_name(name: str, rng: np.random.Generator) -> str:
    """The name with its first or its last part changed for one that sounds alike."""
    given, family = name.split(" ")
    pairs = {a: b for pair in _GIVEN_PAIRS for a, b in (pair.split("/"),)}
    if given in pairs:
        return f"{pairs[given]} {family}"
    first, second = next(p.split("/") for p in _FAMILY_PAIRS if family in p.split("/"))
    return f"{given} {second if family == first else first}"


_VALUES: Mapping[str, Callable[[np.random.Generator], str]] = {
    "digits": lambda rng: _digits(int(rng.integers(4, 8)), rng),
    "code": _code,
    "money": _money,
    "percent": _percent,
    "cardinal": _cardinal,
    "date": _date,
    "time": _time,
    "weekday": lambda rng: str(_pick(rng, WEEKDAY_NAMES)),
    "name": _name,
    "phone": _phone,
    "decimal": _decimal,
}


# ---------------------------------------------------------------- how a value is written and said


def _say_digits(value: str, near_miss: str, rng: np.random.Generator) -> tuple[str, str]:
    return value, _digit_by_digit(value, rng)


def _say_code(value: str, near_miss: str, rng: np.random.Generator) -> tuple[str, str]:
    parts = re.findall(r"[A-Z]+|[0-9]+", value)
    said = []
    for part in parts:
        if part.isdigit():
            said.append(_digit_by_digit(part, rng))
        else:  # an A before a comma is the letter, for every voice; elsewhere it may be the article
            said.append(" ".join("A," if c == "A" else c for c in part).rstrip(","))
    written = value
    if len(parts) == 2:
        written = _pick(rng, ("", "-", " ")).join(parts)
    return written, ", ".join(said)


def _say_phone(value: str, near_miss: str, rng: np.random.Generator) -> tuple[str, str]:
    groups = (value[2:5], value[5:8], value[8:])
    style = _pick(rng, ("{}-{}-{}", "({}) {}-{}", "{} {} {}"))
    zero = "oh" if rng.random() < 0.4 else "zero"
    said = (" ".join(zero if d == "0" else cardinal_words(int(d)) for d in g) for g in groups)
    return style.format(*groups), ", ".join(said)


def _say_money(value: str, near_miss: str, rng: np.random.Generator) -> tuple[str, str]:
    whole, cents = (int(part) for part in value.split("."))
    dollars = f"{cardinal_words(whole)} dollar{'s' * (whole != 1)}"
    if not cents:
        return (f"${whole:,}" if rng.random() < 0.6 else f"${whole:,}.00"), dollars
    written = f"${whole:,}.{cents:02d}"
    if whole < 100 and cents >= 10 and rng.random() < 0.15:
        return written, f"{cardinal_words(whole)} {cardinal_words(cents)}"
    return written, f"{dollars} and {cardinal_words(cents)} cent{'s' * (cents != 1)}"


def _say_percent(value: str, near_miss: str, rng: np.random.Generator) -> tuple[str, str]:
    return f"{value}%" if rng.random() < 0.8 else f"{value} percent", f"{_number(value)} percent"


def _say_cardinal(value: str, near_miss: str, rng: np.random.Generator) -> tuple[str, str]:
    return value if rng.random() < 0.8 else _number(value), _number(value)


def _say_decimal(value: str, near_miss: str, rng: np.random.Generator) -> tuple[str, str]:
    return value, _number(value)


def _say_date(value: str, near_miss: str, rng: np.random.Generator) -> tuple[str, str]:
    day = date.fromisoformat(value)
    month, nth = MONTH_NAMES[day.month - 1], ordinal_words(day.day)
    if rng.random() < 0.25:
        return f"the {ordinal_figures(day.day)} of {month}", f"the {nth} of {month}"
    forms = (f"{month} {day.day}", f"{month} {ordinal_figures(day.day)}", f"{month[:3]} {day.day}")
    return _pick(rng, forms), f"{month} {nth}"


def _say_time(value: str, near_miss: str, rng: np.random.Generator) -> tuple[str, str]:
    hour, minute = (int(part) for part in value.split(":"))
    twelve = hour % 12 or 12
    figures = f"{twelve}:{minute:02d}"
    clock = cardinal_words(twelve)
    if minute:
        clock += f" oh {cardinal_words(minute)}" if minute < 10 else f" {cardinal_words(minute)}"
    roll = rng.random()
    if near_miss == "am_pm" or roll < 0.7:
        mark = _pick(rng, (("AM", "PM"), ("a.m.", "p.m.")))[hour >= 12]
        return f"{figures} {mark}", f"{clock} {'A.M.' if hour < 12 else 'P.M.'}"
    if roll < 0.85:
        part = "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"
        return f"{figures} in the {part}", f"{clock} in the {part}"
    return (figures, clock) if minute else (f"{twelve} o'clock", f"{clock} o'clock")


def _say_as_is(value: str, near_miss: str, rng: np.random.Generator) -> tuple[str, str]:
    return value, value


_SAY: Mapping[str, Callable[[str, str, np.random.Generator], tuple[str, str]]] = {
    "digits": _say_digits,
    "code": _say_code,
    "money": _say_money,
    "percent": _say_percent,
    "cardinal": _say_cardinal,
    "date": _say_date,
    "time": _say_time,
    "weekday": _say_as_is,
    "name": _say_as_is,
    "phone": _say_phone,
    "decimal": _say_decimal,
}


def _number(value: str) -> str:
    whole, _, part = value.partition(".")
    words = cardinal_words(int(whole))
    return f"{words} point {' '.join(cardinal_words(int(d)) for d in part)}" if part else words


def _digit_by_digit(digits: str, rng: np.random.Generator) -> str:
    """In groups of two or three, as agents read them out; now and then in pairs."""
    if len(digits) in (4, 6) and "0" not in digits[::2] and rng.random() < 0.12:
        pairs = (digits[i : i + 2] for i in range(0, len(digits), 2))
        return ", ".join(cardinal_words(int(pair)) for pair in pairs)
    zero = "oh" if rng.random() < 0.2 else "zero"
    names = [zero if d == "0" else cardinal_words(int(d)) for d in digits]
    if len(names) <= 3 or rng.random() < 0.15:
        return " ".join(names)
    size = 2 if len(names) % 2 == 0 and rng.random() < 0.4 else 3
    return ", ".join(" ".join(names[i : i + size]) for i in range(0, len(names), size))


def _numbers(kind: str, drawn: _Drawn) -> set[int]:
    """Numbers that a listener could find in the value or its near miss, by figures."""
    found: set[int] = set()
    if kind in ("weekday", "name"):
        return found
    for value in (drawn.value, drawn.partner):
        shown = value[5:] if kind == "date" else value
        found |= {int(part) for part in re.findall(r"\d+", shown)}
        if kind == "time":
            found.add(int(value[:2]) % 12 or 12)
        if kind in ("digits", "code", "phone", "decimal", "money"):
            digits = re.sub(r"\D", "", value)
            found |= {int(digits[i : i + n]) for n in (2, 3) for i in range(len(digits) - n + 1)}
    return found


# ---------------------------------------------------------------- sentences


def _pick(rng: np.random.Generator, items: Sequence[Any]) -> Any:
    return items[int(rng.integers(0, len(items)))]


def _slots(line: str) -> Iterator[str]:
    for piece in line.split("{")[1:]:
        yield piece.split("}")[0]


def _fill(
    line: str, classes: Mapping[str, str], rng: np.random.Generator
) -> tuple[str, str, tuple[SentenceValue, ...]]:
    while True:
        drawn = {kind: _draw(kind, near_miss, rng) for kind, near_miss in classes.items()}
        numbers = [_numbers(kind, one) for kind, one in drawn.items()]
        if len(numbers) < 2 or not numbers[0] & numbers[1]:
            break
    # An agent's own transcript is mostly written in figures; some models write the words they speak.
    in_words = rng.random() < 0.15
    text = line.format(**{k: d.spoken if in_words else d.written for k, d in drawn.items()})
    spoken = line.format(**{k: d.spoken for k, d in drawn.items()})
    values = tuple(
        SentenceValue(kind, drawn[kind].value, drawn[kind].partner, near_miss)
        for kind, near_miss in classes.items()
    )
    return _tidy(text), _tidy(spoken), values


def _tidy(text: str) -> str:
    """No double full stop where a value ends in one, and no double comma."""
    return text.replace("..", ".").replace(",,", ",")


def _prose(rng: np.random.Generator) -> str:
    pieces = []
    for _ in range(1 if rng.random() < 0.7 else 2):
        line = _pick(rng, _PROSE)
        fill = {slot: _pick(rng, _FILLERS[slot]) for slot in _slots(line)}
        pieces.append(line.format(**fill))
    return " ".join(dict.fromkeys(pieces))


__all__ = [
    "KINDS",
    "Sentence",
    "SentenceValue",
    "calibration_sentences",
    "write_clips",
]
