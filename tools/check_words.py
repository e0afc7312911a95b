"""Check the words of the code: docstrings that begin with What, How or Those, and variables called ``own``.

    python tools/check_words.py

A docstring's first line is an imperative or a noun phrase; a name says what the value is, not whose it is.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("headway", "tools", "benchmarks")
_VAGUE = re.compile(r"(\([^)]*\) )?(What|How|Those)\b")
_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

PENDING_DOCSTRINGS = (
    "headway/analysis/hc_search.py", "headway/cli/constituents.py", "headway/constituency/", "headway/incremental/",
    "headway/learning/beam.py", "headway/learning/ranking.py", "headway/learning/transitions.py",
)  # fmt: skip
"""Files whose docstrings have not been gone over yet; take them off the list once they have."""

PENDING_NAMES = frozenset(
    (
        "benchmarks/calibration.py",
        "benchmarks/greedy.py",
        "benchmarks/peers.py",
        "benchmarks/reranking.py",
        "benchmarks/tag_correction.py",
        "headway/analysis/agreement.py",
        "headway/analysis/certificates.py",
        "headway/analysis/equal_time.py",
        "headway/analysis/greedy.py",
        "headway/analysis/local_optima.py",
        "headway/analysis/reliability.py",
        "headway/analysis/sampling.py",
        "headway/charts/factorizations.py",
        "headway/charts/part_places.py",
        "headway/charts/problems.py",
        "headway/cli/constituents.py",
        "headway/constituency/agreement.py",
        "headway/constituency/drawing.py",
        "headway/constituency/parser.py",
        "headway/corpus/pseudo_projective.py",
        "headway/decoders/alternating_directions.py",
        "headway/decoders/clusters.py",
        "headway/decoders/dual_decomposition.py",
        "headway/decoders/head_automata.py",
        "headway/decoders/integer_program.py",
        "headway/decoders/k_best_spanning.py",
        "headway/ensemble.py",
        "headway/evaluation/raw_text.py",
        "headway/features/words.py",
        "headway/joint/correction.py",
        "headway/joint/examples.py",
        "headway/joint/features.py",
        "headway/joint/reading.py",
        "headway/joint/sampling.py",
        "headway/joint/states.py",
        "headway/joint/training.py",
        "headway/kernel/units.py",
        "headway/learning/arcs.py",
        "headway/learning/expectations.py",
        "headway/learning/gold.py",
        "headway/learning/pruner.py",
        "headway/learning/relaxed.py",
        "headway/learning/reranking.py",
        "headway/learning/tensor.py",
        "headway/learning/trees.py",
        "headway/marginals/matrix_tree.py",
        "headway/parser.py",
        "headway/pruning/pruner.py",
        "headway/pruning/reach.py",
        "headway/scorers/biased.py",
        "headway/scorers/global_gains.py",
        "headway/scorers/tensor.py",
        "headway/search/climbing.py",
        "headway/search/first_order.py",
        "headway/search/long_sentences.py",
        "headway/search/rivals.py",
        "headway/tagging/lexicon.py",
        "headway/tagging/morphology.py",
        "headway/tagging/segmenter.py",
        "headway/tagging/tagger.py",
        "headway/tagging/text_features.py",
        "headway/tagging/viterbi.py",
        "headway/tagging/words.py",
    )
)
"""Files that still have variables called ``own``; take them off the list once they have none."""


def problems(source: str, *, names: bool = True, docstrings: bool = True) -> Iterator[tuple[int, str]]:
    """Yield the line and the reason of every problem in the source of a module."""
    for node in ast.walk(ast.parse(source)):
        if docstrings and isinstance(node, _DOCUMENTED):
            text = ast.get_docstring(node)
            if text and _VAGUE.match(text):
                yield node.body[0].lineno, f"docstring begins with a clause: {text.splitlines()[0]}"
        if names and (
            (isinstance(node, ast.Name) and node.id == "own" and isinstance(node.ctx, ast.Store))
            or (isinstance(node, ast.arg) and node.arg == "own")
        ):
            yield node.lineno, "a variable is called own: say what it is"


def main() -> int:
    """Print all problems; return 1 if there are some."""
    found = False
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        checks = {"names": name not in PENDING_NAMES, "docstrings": not name.startswith(PENDING_DOCSTRINGS)}
        for line, reason in problems(path.read_text(encoding="utf-8"), **checks):
            print(f"{name}:{line}: {reason}")
            found = True
    return int(found)


if __name__ == "__main__":
    sys.exit(main())
