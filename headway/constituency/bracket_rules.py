"""The rules for bracket scores: the settings of EVALB's parameter files, read from a file or made from options."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from headway.constituency.tree import EMPTY, bare_label
from headway.corpus.files import open_input, read_chunks
from headway.errors import CorpusError

_IGNORED = frozenset(["DEBUG", "MAX_ERROR", "CUTOFF_LEN", "DELETE_LABEL_FOR_LENGTH"])
"""Settings that only affect EVALB's printed report; `BracketScores.up_to` gives scores of short sentences."""


@dataclass(frozen=True)
class BracketRules:
    """The settings of EVALB's parameter file.

    Parameters
    ----------
    deleted : frozenset of str
        Ignored labels: words with such a gold tag are removed, and phrases with such a label have no bracket.
    equal : frozenset of frozenset of str
        Groups of labels that are treated as equal.
    equal_words : frozenset of frozenset of str
        Groups of words that are treated as equal.
    labelled : bool
        Whether brackets must have the right label, too.
    """

    deleted: frozenset[str] = frozenset(["TOP", "ROOT", "S1", "", EMPTY, ",", ":", "``", "''", ".", "?", "!"])
    equal: frozenset[frozenset[str]] = frozenset([frozenset(["ADVP", "PRT"])])
    equal_words: frozenset[frozenset[str]] = field(default=frozenset())
    labelled: bool = True

    @classmethod
    def read(cls, path: str | Path) -> "BracketRules":
        """Read a parameter file of EVALB; CorpusError, with file and line, if a line is invalid."""
        name = str(path)
        with open_input(name) as stream:
            data = b"".join(read_chunks(stream, name))
        deleted, labelled = set[str](), True
        equal: dict[str, set[frozenset[str]]] = {"EQ_LABEL": set(), "EQ_WORD": set()}
        for number, line in enumerate(data.decode("utf-8", errors="replace").split("\n"), start=1):
            key, *values = line.partition("##")[0].split() or ["#"]
            if key.startswith("#") or key in _IGNORED:
                continue
            if key == "DELETE_LABEL" and len(values) == 1:
                deleted.add(values[0])
            elif key in equal and len(values) > 1:
                equal[key].add(frozenset(values))
            elif key == "LABELED" and values in (["0"], ["1"]):
                labelled = values == ["1"]
            else:
                raise CorpusError(
                    f"{line.strip()!r} is no setting of EVALB's parameter files: expected {', '.join(equal)}, "
                    "DELETE_LABEL or LABELED, and values",
                    path=name,
                    line=number,
                )
        return cls(frozenset(deleted), _joined(equal["EQ_LABEL"]), _joined(equal["EQ_WORD"]), labelled)

    def name(self, label: str) -> str:
        """Return the representative of a label's group."""
        bare = bare_label(label)
        return self._names.get(bare, bare) if self.labelled else ""

    def word(self, form: str) -> str:
        """Return the representative of a word's group."""
        return self._words.get(form, form)

    @cached_property
    def _names(self) -> dict[str, str]:
        return _first_names(self.equal)

    @cached_property
    def _words(self) -> dict[str, str]:
        return _first_names(self.equal_words)


def _first_names(groups: Iterable[frozenset[str]]) -> dict[str, str]:
    return {name: min(group) for group in groups for name in group}


def _joined(groups: Iterable[frozenset[str]]) -> frozenset[frozenset[str]]:
    """Merge groups that have a name in common."""
    found: list[frozenset[str]] = []
    for group in groups:
        apart = [other for other in found if not other & group]
        found = [*apart, group.union(*(other for other in found if other & group))]
    return frozenset(found)


COLLINS = BracketRules()
