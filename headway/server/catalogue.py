"""The models of a server by name."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headway.annotator import Annotator
from headway.errors import UsageError
from headway.models import find_model
from headway.parser import Parser
from headway.server.limits import Problem
from headway.server.shared_models import SharedModel


@dataclass(frozen=True)
class Entry:
    """A model that requests can name.

    Parameters
    ----------
    file : SharedModel
    reads_text : bool
        Whether it has a tokenizer and a tagger.
    facts : dict
        The metadata of the model file.
    """

    name: str
    file: SharedModel
    reads_text: bool
    facts: dict[str, Any]

    @property
    def steps(self) -> list[str]:
        """Its pipeline steps, by UDPipe's names."""
        return ["tokenizer", "tagger", "parser"] if self.reads_text else ["parser"]

    @property
    def licence(self) -> str:
        """The licence of the model; empty if the file has none."""
        return " ".join(str(self.facts.get("licence", "")).split())

    @property
    def about(self) -> str:
        """A description of the model; empty if the file has none."""
        return " ".join(str(self.facts.get("about", "")).split())


class Catalogue:
    """All models of a server; the first is the default.

    A model is found by its name or by the beginning of it up to a hyphen: ``english-ewt-ud`` is also ``english-ewt``
    and ``english``. If several models match, the first one is taken.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = list(entries)
        self._names: dict[str, Entry] = {}
        for entry in self.entries:
            if any(entry.name == other.name for other in self.entries if other is not entry):
                raise UsageError(f"two models are called {entry.name}: rename one of them with --model NAME=FILE")
            self._names[entry.name] = entry
        for entry in self.entries:
            parts = entry.name.split("-")
            for count in range(len(parts) - 1, 0, -1):
                self._names.setdefault("-".join(parts[:count]), entry)

    @classmethod
    def load(cls, models: Iterable[str]) -> tuple["Catalogue", list[Annotator | Parser]]:
        """Load models given as ``MODEL`` or ``NAME=MODEL``; return the catalogue and the loaded models."""
        entries, loaded = list[Entry](), list[Annotator | Parser]()
        files = dict[str, SharedModel]()
        for text in models:
            name, equals, model = text.partition("=")
            if not equals:
                name, model = Path(text).name.removesuffix(".headway"), text
            if not name or not name.isprintable():
                raise UsageError(f"{text}: the model's name is empty or not printable: use --model NAME=FILE")
            path = str(find_model(model))
            if path not in files:
                files[path] = SharedModel.read(path)
            found = files[path].load()
            parser = found if isinstance(found, Parser) else found.parser
            entries.append(Entry(name, files[path], isinstance(found, Annotator), parser.model.facts))
            loaded.append(found)
        return cls(entries), loaded

    @property
    def default(self) -> Entry:
        """The model for requests that do not name one."""
        return self.entries[0]

    @property
    def files(self) -> dict[str, SharedModel]:
        """The model files by name."""
        return {entry.name: entry.file for entry in self.entries}

    def find(self, name: str | None, *, status: int = 400) -> Entry:
        """Find a model.

        Raises
        ------
        Problem
            With this status, if there is no such model.
        """
        if name is None:
            return self.default
        if name not in self._names:
            known = ", ".join(entry.name for entry in self.entries)
            raise Problem(status, f"there is no such model; choose from {known}")
        return self._names[name]
