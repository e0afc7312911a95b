r"""All fields of a sentence in one list, which makes reading and writing fast.

The lines of a sentence are split only at tabs, so the last field of a line also contains the line end and the ID of the
next line. With ten columns, a word takes nine places in the list::

    1 Dogs dog NOUN _ _ 2 nsubj _ "_\n2" bark bark VERB _ _ 0 root _ _
    0    1   2    3 4 5 6     7 8      9   10   11   12 …

So a column is a slice, and joining the list restores the lines. Lists are never changed, so copies can share them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_COMMON = 256
_COMMON_ENDS = [f"\n{number}" for number in range(2, _COMMON + 1)]


@dataclass(slots=True, eq=False)  # not frozen, because frozen objects are slower to make
class Fields:
    """The fields of a sentence; treated as immutable.

    Parameters
    ----------
    values : list of str, (lines * stride + 1,)
        The fields; see the module's docstring.
    stride : int
        The number of columns, less one.
    places : list of int or None
        The indices of the lines that are words; None if all lines are words with the IDs 1, 2, 3 …
    count : int
        The number of words.
    """

    values: list[str]
    stride: int
    places: list[int] | None
    count: int

    @classmethod
    def split(cls, lines: str) -> "Fields | None":
        """Split lines of words, ranges and empty nodes; None unless all have an ID and the same number of fields."""
        end = lines.find("\n")
        stride = lines.count("\t", 0, len(lines) if end < 0 else end)
        values = lines.split("\t")
        count, rest = divmod(len(values) - 1, stride) if stride else (0, 1)
        if rest or lines.count("\n") != count - 1:
            return None
        ends = values[stride:-1:stride]  # there are as many as line ends: if each has one, so has every line
        usual = _COMMON_ENDS if count <= _COMMON else [f"\n{number}" for number in range(2, count + 1)]
        if values[0] == "1" and all(map(str.endswith, ends, usual)):
            return cls(values, stride, None, count)
        ids = _ids(values, stride)
        if "" in ids:
            return None
        places = [line for line, text in enumerate(ids) if text.isdigit()]
        return cls(values, stride, places, len(places))

    def ids(self) -> list[str]:
        """Return the IDs of all lines."""
        return _ids(self.values, self.stride)

    def column(self, column: int) -> list[str]:
        """(count,) Return a column of the words."""
        values = self.values[column :: self.stride] if 0 < column < self.stride else self._edge(column)
        return values if self.places is None else [values[line] for line in self.places]

    def _edge(self, column: int) -> list[str]:
        """Return the first or the last column of all lines."""
        if column == 0:
            return self.ids()
        *others, last = self.values[self.stride :: self.stride]
        return [*(field.partition("\n")[0] for field in others), last]

    def with_columns(self, new: Mapping[int, Sequence[str]]) -> "Fields":
        """Return a copy with new values (count,) in some columns of the words, but not in the first column."""
        values, stride = self.values.copy(), self.stride
        for column, given in new.items():
            filled = given
            if self.places is not None:
                filled = values[column::stride] if column < stride else self._edge(column)
                for line, value in zip(self.places, given, strict=True):
                    filled[line] = value
            if column == stride:
                filled = [*map("\n".join, zip(filled, self.ids()[1:], strict=False)), filled[-1]]
            values[column::stride] = filled
        return Fields(values, stride, self.places, self.count)

    def notes(self) -> str:
        """Return the last column as one string, to search quickly for something rare."""
        return "|".join(self.values[self.stride :: self.stride])

    def rows(self) -> tuple[list[list[str]], list[list[str]]]:
        """Return all lines as lists of fields, and the same for only the lines that are words."""
        rows = [line.split("\t") for line in self.text().split("\n")]
        return rows, rows.copy() if self.places is None else [rows[line] for line in self.places]

    def text(self) -> str:
        """Return the lines, without the end of the last one."""
        return "\t".join(self.values)


def _ids(values: list[str], stride: int) -> list[str]:
    """Return the IDs of all lines; an empty string after a missing line end."""
    return [values[0], *(field.partition("\n")[2] for field in values[stride:-1:stride])]
