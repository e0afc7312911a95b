"""The models of a server by their names."""

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
    """A model that requests can ask for.

    Parameters
    ----------
    file : SharedModel
    reads_text : bool
        Whether it has a tokenizer and a tagger.
    facts : dict
        Those of the model file.
    """

    name: str
    file: SharedModel
    reads_text: bool
    facts: dict[str, Any]

    @property
    def steps(self) -> list[str]:
        """Its steps as UDPipe names them."""
        return ["tokenizer", "tagger", "parser"] if self.reads_text else ["parser"]

    @property
    def licence(self) -> str:
        """The licence of the model; empty where the file says nothing."""
        return " ".join(str(self.facts.get("licence", "")).split())

    @property
    def about(self) -> str:
        """Where the model comes from; empty where the file says nothing."""
        return " ".join(str(self.facts.get("about", "")).split())


class Catalogue:
    """All models of a server; the first is the default.

    A model is found by its name or by the first parts of it, cut at hyphens: ``english-ewt-ud`` is also ``english-ewt``
    and ``english``. Where several models fit, the first does.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = list(entries)
        self._names: dict[str, Entry] = {}
        for entry in self.entries:
            if any(entry.name == other.name for other in self.entries if other is not entry):
                raise UsageError(f"two models are called {entry.name}: give one another name, --model NAME=FILE")
            self._names[entry.name] = entry
        for entry in self.entries:
            parts = entry.name.split("-")
            for count in range(len(parts) - 1, 0, -1):
                self._names.setdefault("-".join(parts[:count]), entry)

    @classmethod
    def load(cls, models: Iterable[str]) -> tuple["Catalogue", list[Annotator | Parser]]:
        """Read the models that the command line names, each as ``MODEL`` or ``NAME=MODEL``."""
        entries, loaded = list[Entry](), list[Annotator | Parser]()
        files = dict[str, SharedModel]()
        for text in models:
            name, equals, model = text.partition("=")
            if not equals:
                name, model = Path(text).name.removesuffix(".headway"), text
            if not name or not name.isprintable():
                raise UsageError(f"{text}: a model needs a name: --model NAME=FILE")
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
        """The model of requests that name none."""
        return self.entries[0]

    @property
    def files(self) -> dict[str, SharedModel]:
        """The files by the models' names."""
        return {entry.name: entry.file for entry in self.entries}

    def find(self, name: str | None, *, status: int = 400) -> Entry:
        """Find a model.

        Raises
        ------
        Problem
            If there is none of that name, with this status.
        """
        if name is None:
            return self.default
        if name not in self._names:
            known = ", ".join(entry.name for entry in self.entries)
            raise Problem(status, f"there is no such model here; there is {known}")
        return self._names[name]
