"""Read and write sentences without loss; check their trees; count and split treebanks."""

from typing import TYPE_CHECKING

from headway.corpus.layout import CONLL2009, CONLLU, CONLLX, Layout
from headway.corpus.sentence import Sentence
from headway.corpus.word import Word
from headway.support.lazy import lazy_names

if TYPE_CHECKING:
    from headway.corpus.conversion import conversion_losses, convert
    from headway.corpus.files import open_input, open_output
    from headway.corpus.lifting import projectivize
    from headway.corpus.pseudo_projective import decode_crossing, encode_crossing
    from headway.corpus.reader import parse_sentences, read_sentences
    from headway.corpus.treebank import TreebankStatistics, folds, split, statistics
    from headway.corpus.trees import check_tree, is_projective, is_tree, nonprojective_arcs, tree_problems
    from headway.corpus.validation import validate
    from headway.corpus.writer import format_sentence, write_sentences

__all__ = [
    "CONLL2009",
    "CONLLU",
    "CONLLX",
    "Layout",
    "Sentence",
    "TreebankStatistics",
    "Word",
    "check_tree",
    "conversion_losses",
    "convert",
    "decode_crossing",
    "encode_crossing",
    "folds",
    "format_sentence",
    "is_projective",
    "is_tree",
    "nonprojective_arcs",
    "open_input",
    "open_output",
    "parse_sentences",
    "projectivize",
    "read_sentences",
    "split",
    "statistics",
    "tree_problems",
    "validate",
    "write_sentences",
]

__getattr__ = lazy_names(
    "headway.corpus",
    {
        "TreebankStatistics": "headway.corpus.treebank",
        "check_tree": "headway.corpus.trees",
        "conversion_losses": "headway.corpus.conversion",
        "convert": "headway.corpus.conversion",
        "decode_crossing": "headway.corpus.pseudo_projective",
        "encode_crossing": "headway.corpus.pseudo_projective",
        "folds": "headway.corpus.treebank",
        "format_sentence": "headway.corpus.writer",
        "is_projective": "headway.corpus.trees",
        "is_tree": "headway.corpus.trees",
        "nonprojective_arcs": "headway.corpus.trees",
        "open_input": "headway.corpus.files",
        "open_output": "headway.corpus.files",
        "parse_sentences": "headway.corpus.reader",
        "projectivize": "headway.corpus.lifting",
        "read_sentences": "headway.corpus.reader",
        "split": "headway.corpus.treebank",
        "statistics": "headway.corpus.treebank",
        "tree_problems": "headway.corpus.trees",
        "validate": "headway.corpus.validation",
        "write_sentences": "headway.corpus.writer",
    },
)
