"""``python -m headway`` is the command ``headway``."""

from headway.cli.main import main

main()
