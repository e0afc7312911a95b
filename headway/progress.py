"""How long work tells what it is doing; this one keeps quiet, the command line has ones that speak."""


class Progress:
    """Told of stages and steps by whatever takes long; a base that ignores it all."""

    def start(self, stage: str, total: int) -> None:
        """A stage of `total` steps begins."""

    def advance(self, steps: int = 1) -> None:
        """So many steps of the stage are done."""

    def finish(self) -> None:
        """The stage is over."""

    def note(self, message: str) -> None:
        """Something worth a line: the figures of an epoch, say."""
