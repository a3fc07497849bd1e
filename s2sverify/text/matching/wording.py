"""Expected names, e-mail, web and street addresses, and free text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from s2sverify.errors import InputError
from s2sverify.text import names, nearmiss, strings, writing
from s2sverify.text.kinds import Value
from s2sverify.text.lattice import Lattice, fold
from s2sverify.text.matching.base import Difference, Found, Matcher, Policy, far_apart
from s2sverify.text.nearmiss import Edit
from s2sverify.text.normalize import normalize_words, words_with_atoms
from s2sverify.text.strings import Hit
from s2sverify.text.vocabulary import OTHER


class NameMatcher(Matcher):
    """Names: what is spelled decides; what sounds alike counts; what sounds nearly alike is in doubt."""

    kind = "name"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.canonical = " ".join(str(expected).split())
        self.parts = names.parts_of(self.canonical)
        if not self.parts:
            raise InputError(f"expected must hold a letter for kind 'name', got {expected!r}")

    @property
    def key(self) -> object:
        return self.parts

    def hits(self, lat: Lattice) -> list[Hit]:
        hits = names.accept_name(lat, self.parts)
        if not hits and not self._spelled_otherwise(lat):
            hits = [h for i in range(lat.n) for h in self._doubtful(lat, i)]
        return hits

    def _doubtful(self, lat: Lattice, i: int) -> Iterable[Hit]:
        """Nearly the name by its sound, or its last part alone."""
        size = len(self.parts)
        if i + size <= lat.n and all(lat.cls[k] == OTHER for k in range(i, i + size)):
            said = [
                w.replace("'", "").removesuffix("s") if "'" in w else w
                for w in lat.text[i : i + size]
            ]
            if all(names.sounds_near(a, b) for a, b in zip(self.parts, said, strict=True)):
                yield Hit(i, i + size, "as written", "sounds nearly alike")
        if (
            size > 1
            and lat.text[i] == self.parts[-1]
            and len(self.parts[-1]) > 2
            and lat.word_at(i - 1) in names.TITLES
        ):
            yield Hit(i, i + 1, "as written", "only the last name")

    def others(self, lat: Lattice) -> list[Found]:
        out: list[Found] = []
        target, size = "".join(self.parts), len(self.parts)
        cased = any(r[0].isupper() for r in lat.raw) and not lat.shouted
        for i in range(lat.n):
            if (
                lat.cls[i] != OTHER
                or len(lat.text[i]) < 2
                or (cased and not lat.raw[i][0].isupper())
            ):
                continue
            for width in {size, size + 1, max(1, size - 1)}:
                j = i + width
                if j > lat.n or any(lat.cls[k] != OTHER for k in range(i, j)):
                    continue
                if any(c in lat.pre[k] for k in range(i + 1, j) for c in ",.;?!"):
                    continue
                far = far_apart(target, "".join(w.replace("'", "") for w in lat.text[i:j]))
                if 0 < far <= 0.45:
                    out.append(Found(i, j, lat.shown(i, j), "as written", far))
        return out + self._spelled_otherwise(lat)

    def _spelled_otherwise(self, lat: Lattice) -> list[Found]:
        out = []
        for run in strings.runs(lat, letters=True):
            letters = run.symbols.lower().replace("0", "o")
            if len(letters) > 2 and letters.isalpha():
                far = min(far_apart(t, letters) for t in ("".join(self.parts), *self.parts))
                if 0 < far <= 0.4:
                    out.append(Found(run.start, run.end, letters.capitalize(), "spelled", far / 2))
        return out

    def compare(self, heard: str) -> Difference:
        a, b = self.canonical.split(), heard.split()
        if len(a) != len(b):
            best = (
                min(a, key=lambda part: far_apart(part.lower(), heard.lower()))
                if len(b) == 1
                else self.canonical
            )
            return (Edit("word", a.index(best) + 1 if best in a else 1, best, heard),), "name_near"
        edits = tuple(
            Edit("word", k, x, y)
            for k, (x, y) in enumerate(zip(a, b, strict=True), 1)
            if fold(x).lower() != fold(y).lower()
        )
        return edits, "name_near"


class WrittenMatcher(Matcher):
    """E-mail and web addresses: every sign counts; the scheme, and "www", may be left unsaid."""

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.kind = kind
        self.canonical = re.sub(r"\s+", "", fold(str(expected)).lower().removeprefix("mailto:"))
        bare = self.canonical
        targets = [bare]
        if kind == "url":
            bare = re.sub(r"^[a-z][a-z0-9+.-]*://", "", bare)
            if not bare.startswith("www."):
                targets.append("www." + bare)
            targets += [
                bare,
                bare.rstrip("/"),
                bare.removeprefix("www."),
                bare.removeprefix("www.").rstrip("/"),
            ]
        self.targets = [t for t in dict.fromkeys(targets) if t]
        if not self.targets:
            raise InputError(f"expected must not be empty for kind {kind!r}, got {expected!r}")

    @property
    def key(self) -> object:
        return min(self.targets, key=len)  # without scheme, "www" and a closing slash

    def hits(self, lat: Lattice) -> list[Hit]:
        return [h for target in self.targets for h in writing.accept_symbols(lat, target)]

    def others(self, lat: Lattice) -> list[Found]:
        out = []
        for i, j, value in writing.addresses(lat, email=self.kind == "email"):
            far = min(far_apart(t, value) for t in self.targets)
            if 0 < far <= 0.5:
                out.append(Found(i, j, value, "as written", far))
        return out

    def compare(self, heard: str) -> Difference:
        best = min(self.targets, key=lambda t: nearmiss.distance(t, heard))
        return nearmiss.symbol_edits(best, heard), nearmiss.string_class(best, heard)


class AddressMatcher(Matcher):
    kind = "address"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.canonical = " ".join(str(expected).split())
        self.tokens = writing.address_tokens(self.canonical)
        if not self.tokens:
            raise InputError(
                f"expected must hold a letter or a digit for kind 'address', got {expected!r}"
            )

    @property
    def key(self) -> object:
        return tuple(writing.plainest_form(t) for t in self.tokens)

    def hits(self, lat: Lattice) -> list[Hit]:
        return writing.accept_address(lat, self.tokens)

    def others(self, lat: Lattice) -> list[Found]:
        """The same street with another number, or the same number in another street."""
        said = [(w, i, j) for w, i, j in words_with_atoms(lat)]
        mine = normalize_words(self.canonical)
        out = []
        for k in range(len(said) - len(mine) + 1):
            window = [w for w, _, _ in said[k : k + len(mine)]]
            same = sum(a == b for a, b in zip(mine, window, strict=True))
            if len(mine) > 2 and len(mine) - 1 <= same + (len(mine) > 5) and window != mine:
                start, end = said[k][1], said[k + len(mine) - 1][2]
                out.append(Found(start, end, " ".join(window), "as written", 1 - same / len(mine)))
        return out

    def compare(self, heard: str) -> Difference:
        a, b = normalize_words(self.canonical), heard.split()
        edits = tuple(
            Edit("word", k, x, y) for k, (x, y) in enumerate(zip(a, b, strict=False), 1) if x != y
        )
        return edits, "other"


class TextMatcher(Matcher):
    """Free text: equal once both are normalised."""

    kind = "text"

    def __init__(self, expected: Value, kind: str, policy: Policy) -> None:
        self.canonical = " ".join(str(expected).split())
        self.words = normalize_words(self.canonical)
        if not self.words:
            raise InputError(f"expected must hold a word for kind 'text', got {expected!r}")

    @property
    def key(self) -> object:
        return tuple(self.words)

    def hits(self, lat: Lattice) -> list[Hit]:
        said = words_with_atoms(lat)
        only = [w for w, _, _ in said]
        size, first = len(self.words), self.words[0]
        return [
            Hit(said[k][1], said[k + size - 1][2], "as written")
            for k in range(len(said) - size + 1)
            if only[k] == first and only[k : k + size] == self.words
        ]

    def others(self, lat: Lattice) -> list[Found]:
        return []

    def compare(self, heard: str) -> Difference:
        return (), None


__all__ = ["AddressMatcher", "NameMatcher", "TextMatcher", "WrittenMatcher"]
