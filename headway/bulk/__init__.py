"""Any amount: files cut into pieces, shared among processes, and written in their order."""

from headway.bulk.files import is_folder, parse_files
from headway.bulk.pieces import find_files, is_text
from headway.bulk.worker import Task, Worker, formatted

__all__ = ["Task", "Worker", "find_files", "formatted", "is_folder", "is_text", "parse_files"]
