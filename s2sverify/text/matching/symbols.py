"""Expected digits, codes and phone numbers."""

from __future__ import annotations

import re

from s2sverify.errors import InputError
from s2sverify.text import amounts, nearmiss, strings
from s2sverify.text.kinds import Value
from s2sverify.text.lattice import Lattice, fold
from s2sverify.text.matching.base import REGIONS, Difference, Found, Matcher, Policy, far_apart
from s2sverify.text.numbers import is_counted
from s2sverify.text.strings import Hit
from s2sverify.text.vocabulary import words


class SymbolsMatcher(Matcher):
    """Digits and codes: separators and case aside, every symbol counts, and O is 0."""

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.kind, self.policy = kind, policy
        symbols = re.sub(r"[^A-Za-z0-9]", "", fold(str(expected)))
        if not symbols:
            raise InputError(
                f"expected must hold a letter or a digit for kind {kind!r}, got {expected!r}"
            )
        self.letters = not symbols.isdigit()
        self.canonical = symbols.upper()
        self.targets: list[str] = [symbols.lower().replace("o", "0")]

    @property
    def key(self) -> object:
        return self.targets[0]

    def hits(self, lat: Lattice) -> list[Hit]:
        return [h for target in self.targets for h in self._accepted(lat, target)]

    def _accepted(self, lat: Lattice, target: str) -> list[Hit]:
        hits = strings.accept(lat, target, letters=self.letters, code=self.kind == "code")
        if not self.policy.homophones:
            hits = [
                h._replace(doubt=h.doubt or "homophones") if "homophones" in h.reading else h
                for h in hits
            ]
        return hits

    def others(self, lat: Lattice) -> list[Found]:
        shortest = min(len(t) for t in self.targets)
        out = []
        for run in strings.runs(lat, letters=self.letters):
            heard = run.symbols.lower().replace("o", "0")
            if heard in self.targets or (len(heard) < 2 < shortest) or _is_claimed(lat, run):
                continue
            far = min(far_apart(t, heard) for t in self.targets)
            same_length = len(heard) > 2 and any(len(t) == len(heard) for t in self.targets)
            if far <= 0.6 or (same_length and far < 1):
                out.append(Found(run.start, run.end, run.symbols, "symbols", far))
        return out

    def compare(self, heard: str) -> Difference:
        said = heard.lower().replace("o", "0")
        expected = self.targets[0]
        if len(self.targets) > 1:
            expected = min(self.targets, key=lambda t: nearmiss.distance(t, said))
        return nearmiss.symbol_edits(expected.upper(), said.upper()), nearmiss.string_class(
            expected, said
        )


def _is_claimed(lat: Lattice, run: strings.Run) -> bool:
    """Whether a short run is an amount, a percentage, a time or a count by what stands behind it."""
    if len(run.symbols) > 3:
        return False
    return amounts.claimed(lat, run.start, run.end) or is_counted(lat, run.end)


_CALLING_CODES = words(
    "1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63"
    " 64 65 66 81 82 84 86 90 91 92 93 94 95 98 211 212 213 216 218 220 221 222 223 224 225 226"
    " 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241 242 243 244 245 246 248 249 250"
    " 251 252 253 254 255 256 257 258 260 261 262 263 264 265 266 267 268 269 290 291 297 298 299"
    " 350 351 352 353 354 355 356 357 358 359 370 371 372 373 374 375 376 377 378 380 381 382 383"
    " 385 386 387 389 420 421 423 500 501 502 503 504 505 506 507 508 509 590 591 592 593 594 595"
    " 596 597 598 599 670 672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690"
    " 691 692 850 852 853 855 856 880 886 960 961 962 963 964 965 966 967 968 970 971 972 973 974"
    " 975 976 977 992 993 994 995 996 998"
)


class PhoneMatcher(SymbolsMatcher):
    """Phone numbers: the country code may be left out, a trunk zero may be said; whatever is said must be right."""

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        text = fold(str(expected)).strip()
        super().__init__(text, kind, policy)
        digits = self.targets[0]
        self.behind_plus: tuple[str, ...] = (digits,)
        home = REGIONS.get(policy.region, "1")
        if text.startswith(("+", "00")):
            digits = digits.removeprefix("00")
            code = next(
                (c for c in (digits[:3], digits[:2], digits[:1]) if c in _CALLING_CODES), digits[:1]
            )
            national = digits[len(code) :].removeprefix(
                "0" if code in ("44", "61", "49", "353") else ""
            )
            self.behind_plus = (digits, code + "0" + national)
            self.targets = [digits, national, "00" + digits, "011" + digits]
            if code == "1":
                self.targets.append("001" + national)
            else:
                self.targets += ["0" + national, code + "0" + national]
            self.canonical = "+" + digits.upper()
        elif home == "1":
            if len(digits) == 10:
                self.targets.append("1" + digits)
            elif len(digits) == 11 and digits[0] == "1":
                self.targets.append(digits[1:])
            self.behind_plus = (digits if len(digits) != 10 else "1" + digits,)
        elif digits.startswith("0"):
            self.targets += [home + digits[1:], home + digits, digits[1:]]
            self.behind_plus = (home + digits[1:], home + digits)
        elif len(digits) > 6:
            self.targets += ["0" + digits, home + digits]
            self.behind_plus = (home + digits,)
        self.targets = list(dict.fromkeys(t for t in self.targets if t))

    @property
    def key(self) -> object:
        return self.behind_plus[0]

    def _accepted(self, lat: Lattice, target: str) -> list[Hit]:
        out = []
        for hit in super()._accepted(lat, target):
            if hit.doubt == "written with a point":
                hit = hit._replace(doubt="")
            if hit.start and lat.text[hit.start - 1] in ("+", "plus"):
                if target not in self.behind_plus:
                    continue
                hit = hit._replace(start=hit.start - 1)
            out.append(hit)
        return out

    def others(self, lat: Lattice) -> list[Found]:
        return [f for f in super().others(lat) if len(f.value) >= 5]


__all__ = ["PhoneMatcher", "SymbolsMatcher"]
