"""Parse files of any size: cut them into pieces, share these among processes, write the results in order."""

from headway.bulk.files import parse_files
from headway.bulk.forms import Form
from headway.bulk.pieces import find_files, is_text
from headway.bulk.plan import is_folder
from headway.bulk.worker import Task, Worker

__all__ = ["Form", "Task", "Worker", "find_files", "is_folder", "is_text", "parse_files"]
