"""``python docs/hill_climbing.py``: run the search that `docs/hill-climbing.md` describes, and update its figures.

The sentence and its scores are invented, small enough to be added up by hand; everything else is the parser's own code.
Kernels are not compiled here, so that single steps can be called.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ["HEADWAY_KERNELS"] = "python"

import numpy as np
from numpy.typing import NDArray

from headway.corpus import Sentence
from headway.decoders.climbing import _take_root, climb, move_word
from headway.decoders.hill_climbing import HillClimbing, Trace, make_trace, search_trees
from headway.decoders.spanning_tree import SpanningTree
from headway.decoders.starts import Starts
from headway.evaluation.tables import table
from headway.marginals import matrix_tree
from headway.parts import Candidates, Parse, Scores
from headway.parts.arc_index import grandparent_place, index_arcs
from headway.parts.links import Links, bottom_up, make_links, set_tree
from headway.parts.table_scores import TableScores, table_scores
from headway.parts.tree_scorer import make_options, tree_total
from headway.plots import tree_svg
from headway.pruning import PruningRule
from headway.pruning.pruner import prune_table

PAGE = Path(__file__).resolve().parent / "hill-climbing.md"
FORMS = ("Mira", "watched", "the", "fox", "with", "old", "binoculars")
TAGS = ("PROPN", "VERB", "DET", "NOUN", "ADP", "ADJ", "NOUN")
ROOT = "root"

ARCS = {
    "Mira": {"watched": 5.0, ROOT: 1.5, "fox": 1.0},
    "watched": {ROOT: 4.5, "Mira": 3.0, "fox": 2.0},
    "the": {"fox": 5.0, "binoculars": 1.0, "watched": 0.0},
    "fox": {"watched": 4.5, ROOT: 2.0, "binoculars": 1.5, "the": 0.5},
    "with": {"fox": 3.5, "binoculars": 3.0, "watched": 2.5},
    "old": {"binoculars": 4.5, "fox": 1.0, "with": 0.5},
    "binoculars": {"fox": 3.5, "watched": 3.0, "with": 3.0, ROOT: 0.0},
}
"""For each modifier, the arc scores of its heads; those not named score `OTHERWISE`."""

OTHERWISE = -4.0

GRANDPARENTS = {
    ("watched", "binoculars", "with"): 3.0,
    ("fox", "with", "binoculars"): 1.0,
}
"""Scores of (grandparent, head, modifier); all others score 0."""

SEED, RESTARTS, MANY = 29, 8, 1000


@dataclass(frozen=True)
class Move:
    """A word that was moved, and the change in score; None for a root's child that had to make way."""

    word: int
    before: int
    after: int
    rise: float | None


def vertex(name: str) -> int:
    """Return the number of a word, 0 for the root."""
    return 0 if name == ROOT else FORMS.index(name) + 1


def form(number: int) -> str:
    """Return the word with that number."""
    return ROOT if number == 0 else FORMS[number - 1]


def arc_scores() -> NDArray[np.float64]:
    """(n + 1, n + 1) Return arc scores, [head, modifier]."""
    scores = np.full((len(FORMS) + 1, len(FORMS) + 1), OTHERWISE)
    for modifier, heads in ARCS.items():
        for head, score in heads.items():
            scores[vertex(head), vertex(modifier)] = score
    return scores


def prune(scores: NDArray[np.float64]) -> Candidates:
    """Return the arcs that the pruning rule keeps."""
    allowed, rule = np.zeros(scores.shape, dtype=np.bool_), PruningRule()
    prune_table(scores, rule.ratio, rule.most, rule.projective, allowed)
    return Candidates.from_mask(allowed)


def part_scores(candidates: Candidates, arcs: NDArray[np.float64]) -> tuple[Scores, TableScores]:
    """Return the tables that the decoder reads, and the same for kernels."""
    index = index_arcs(candidates.dense(1.0, 0.0) > 0)
    grandparents = np.zeros(index.sizes[1])
    for names, score in GRANDPARENTS.items():
        grandparents[grandparent_place(index, *map(vertex, names))] = score
    scores = Scores(arc=candidates.gather(arcs), grandparent=grandparents)
    return scores, table_scores(candidates, scores)


def climbs(candidates: Candidates, tables: TableScores, count: int) -> Trace:
    """Return the first climbs of the search, from uniformly drawn trees."""
    weights = np.zeros(len(candidates))
    marginals = candidates.dense(matrix_tree(candidates, Scores(arc=weights)).arc, 0.0)
    trace = make_trace(count, len(FORMS) + 1)
    climber = HillClimbing(restarts=count, seed=SEED).climber(single_root=True)._replace(most=count)
    search_trees(tables, Starts(np.exp(weights), marginals[0]), climber, np.empty(len(FORMS) + 1, np.int32), trace)
    return trace


def passes(tables: TableScores, start: NDArray[np.int32]) -> Iterator[tuple[list[Move], list[int]]]:
    """Climb as `climb` does, and yield the moves and the tree of each pass; the last pass has no move."""
    links, options = _linked(start), make_options(len(start))
    order = np.empty(len(start) - 1, dtype=np.int64)
    moved = True
    while moved:
        moves: list[Move] = []
        bottom_up(links, order)
        for word in order.tolist():
            before = links.heads.copy()
            rise = move_word(tables, links, options, word, True, False)
            if links.heads[word] != 0 and tables.layout.number[0, word] >= 0:
                rise += _take_root(tables, links, options, word, False)
            moves += [
                Move(other, int(before[other]), int(links.heads[other]), rise if other == word else None)
                for other in range(1, len(start))
                if links.heads[other] != before[other]
            ]
        moved = bool(moves)
        yield moves, links.heads.tolist()
    straight = _linked(start)
    climb(tables, straight, True, False)
    assert links.heads.tolist() == straight.heads.tolist()


def score(tables: TableScores, heads: Sequence[int] | NDArray[np.int32]) -> float:
    """Return the score of a tree."""
    return float(tree_total(tables, _linked(heads)))


def _linked(heads: Sequence[int] | NDArray[np.int32]) -> Links:
    links = make_links(len(heads))
    set_tree(links, np.array(heads, dtype=np.int32))
    return links


def draw(name: str, heads: Sequence[int], arcs: NDArray[np.float64]) -> str:
    """Draw a tree with its arc scores; return the line of Markdown that shows it."""
    labels = [f"{arcs[head, word]:g}" for word, head in enumerate(heads[1:], start=1)]
    picture = tree_svg(Sentence.from_words(FORMS, upos=TAGS, heads=list(heads[1:]), labels=labels))
    path = PAGE.parent / "images" / f"hill-climbing-{name}.svg"
    path.parent.mkdir(exist_ok=True)
    path.write_text(picture, encoding="utf-8")
    return f"![{_tell(heads, range(1, len(heads)))}](images/{path.name})"


def _tell(heads: Sequence[int], words: Iterable[int]) -> str:
    return ", ".join(f"{form(heads[word])} → {form(word)}" for word in words)


def candidate_block(candidates: Candidates, arcs: NDArray[np.float64]) -> str:
    """Return a row for each modifier: its candidate heads, best first."""
    rows = []
    for word in range(1, len(FORMS) + 1):
        heads = candidates.heads[candidates.offsets[word] : candidates.offsets[word + 1]].tolist()
        ranked = sorted(heads, key=lambda head: -arcs[head, word])
        rows.append([form(word), ", ".join(f"{form(head)} {arcs[head, word]:g}" for head in ranked)])
    left = f"{len(candidates)} of the {len(FORMS) ** 2} arcs are left:"
    return f"{left}\n\n{table(['modifier', 'heads and arc scores'], rows)}"


def pass_blocks(tables: TableScores, arcs: NDArray[np.float64], start: NDArray[np.int32]) -> Iterator[str]:
    """Yield a description of each pass."""
    total = score(tables, start)
    for number, (moves, heads) in enumerate(passes(tables, start), start=1):
        if not moves:
            yield f"**Pass {number}.** No word can be moved to advantage: the climb ends at {total:g}."
            return
        total += sum(one.rise or 0.0 for one in moves)
        assert abs(total - score(tables, heads)) < 1e-9
        picture = draw(f"pass-{number}", heads, arcs)
        moved = table(["word", "from", "to", "score"], [_row(one) for one in moves])
        yield f"**Pass {number}.** It brings the score to {total:g}.\n\n{moved}\n\n{picture}"


def _row(move: Move) -> list[str]:
    rise = "makes way" if move.rise is None else f"{move.rise:+g}"
    return [form(move.word), form(move.before), form(move.after), rise]


def restart_block(tables: TableScores, trace: Trace, made: int) -> str:
    """Return a row for each climb of the search."""
    rows, best = [], -np.inf
    for number in range(made):
        reached = trace.scores[number]
        better, best = reached > best + 1e-9, max(best, reached)
        begun = score(tables, trace.starts[number])
        rows.append([str(number + 1), f"{begun:g}", f"{reached:g}", "yes" if better else ""])
    return table(["climb", "starts at", "ends at", "better than before"], rows)


def summit_block(trace: Trace) -> str:
    """Return how often each local optimum is reached; optima are named by the words in whose heads they differ."""
    reached = Counter((float(value), *heads.tolist()) for value, heads in zip(trace.scores, trace.heads, strict=True))
    trees = [heads for _, *heads in reached]
    words = [word for word in range(1, len(FORMS) + 1) if len({heads[word] for heads in trees}) > 1]
    rows = [
        [_tell(heads, words), f"{value:g}", f"{100 * count / len(trace.scores):.0f} %"]
        for (value, *heads), count in sorted(reached.items(), reverse=True)
    ]
    return table(["local optimum", "score", "climbs that end there"], rows)


def answer_block(parse: Parse, arcs: NDArray[np.float64]) -> str:
    """Describe the best tree, its score and its bound."""
    made, found = int(parse.statistics["restarts"]), int(parse.statistics["found"])
    assert parse.bound is not None
    return (
        f"{draw('best', parse.heads.tolist(), arcs)}\n\nScore {parse.score:g}, found by climb {found} of {made}; "
        f"no tree scores more than {parse.bound:g}; certified to be the best: {'yes' if parse.exact else 'no'}."
    )


def blocks() -> dict[str, str]:
    """Return all generated blocks of the page, by the names of their places; also draws the pictures."""
    arcs = arc_scores()
    candidates = prune(arcs)
    scores, tables = part_scores(candidates, arcs)
    parse = HillClimbing(restarts=RESTARTS, seed=SEED).decode(candidates, scores)
    trace = climbs(candidates, tables, MANY)
    start, made = trace.starts[0], int(parse.statistics["restarts"])
    assert trace.heads[int(parse.statistics["found"]) - 1].tolist() == parse.heads.tolist()
    alone = SpanningTree().decode(candidates, Scores(arc=scores.arc)).heads.tolist()
    map_start = HillClimbing(start="map", restarts=0).decode(candidates, scores)
    return {
        "candidates": candidate_block(candidates, arcs),
        "arcs alone": f"{draw('arcs-alone', alone, arcs)}\n\nIt scores {score(tables, alone):g}, and a climb from it "
        f"ends at {map_start.score:g}; the best tree scores {parse.score:g}.",
        "start": f"{draw('start', start.tolist(), arcs)}\n\nIt scores {score(tables, start):g}.",
        "passes": "\n\n".join(pass_blocks(tables, arcs, start)),
        "restarts": restart_block(tables, trace, made),
        "optima": summit_block(trace),
        "answer": answer_block(parse, arcs),
    }


def fill(page: str, texts: dict[str, str]) -> str:
    """Return the page with every place filled: the text between ``<!-- name -->`` and ``<!-- end -->`` is replaced."""
    for name, text in texts.items():
        before, rest = page.split(f"<!-- {name} -->\n")
        after = rest[rest.index("<!-- end -->") :]
        page = f"{before}<!-- {name} -->\n{text}\n{after}"
    return page


def main() -> None:
    """Write the pictures and the page."""
    with np.errstate(over="ignore"):  # the random numbers' arithmetic wraps around
        PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), blocks()), encoding="utf-8")


if __name__ == "__main__":
    main()
