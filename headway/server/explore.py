"""Analyse one sentence for the explorer: trees under constraints, rival heads, and the steps of a search."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from headway.annotator import Annotator
from headway.corpus import Sentence, parse_sentences
from headway.decoders.dual_decomposition import DualRule, relax_tree
from headway.encoding import Encoded
from headway.errors import UsageError
from headway.parser import Parser
from headway.parts import Candidates, Parse
from headway.search.relaxations import automata_parts
from headway.search.rivals import rivals
from headway.server.jobs import Exploration
from headway.support.threads import Threads

_RIVALS = 5
"""The number of heads that are reported for a word."""

_LONGEST = 80
"""The maximum sentence length for showing a search step by step."""

_ITERATIONS = 200


def explore(model: Annotator | Parser, asked: Exploration) -> dict[str, Any]:
    """Return the analysis of a sentence as JSON data.

    Raises
    ------
    HeadwayError
        If the sentence cannot be read, or no tree satisfies the constraints.
    """
    sentences = list(parse_sentences(asked.conllu))
    if len(sentences) != 1 or len(sentences[0]) > asked.sentence:
        raise UsageError(f"send exactly one sentence of at most {asked.sentence:,} words")
    sentence = _checked(sentences[0], asked)
    if isinstance(model, Annotator):
        [sentence] = model.tag([sentence])
    parser = model if isinstance(model, Parser) else model.parser
    trees = parser.parse_best(
        sentence, asked.k_best, required={modifier: head for head, modifier in asked.required},
        forbidden=asked.forbidden, decoder=asked.decoder, seconds=asked.seconds,
    )  # fmt: skip
    encoded = parser.model.encoder.encode([sentence])
    search = parser.model.search(asked.decoder, seconds=asked.seconds)
    arcs = search.probabilities(encoded, 0, heads=None if asked.required or asked.forbidden else trees[0].heads)
    return {
        "decoder": asked.decoder or parser.model.settings.decoder,
        "upos": sentence.upos,
        "ignored": sorted(str(kind) for kind in search.ignored),
        "trees": [_tree(parse) for parse in trees],
        "rivals": _rival_heads(arcs),
        "steps": _steps(parser, encoded, asked.steps) if asked.steps else None,
    }


def _checked(sentence: Sentence, asked: Exploration) -> Sentence:
    for head, modifier in (*asked.required, *asked.forbidden):
        if not (0 <= head <= len(sentence) and 1 <= modifier <= len(sentence)) or head == modifier:
            raise UsageError(f"there is no arc from {head} to {modifier} in a sentence of {len(sentence)} words")
    return sentence


def _tree(parse: Parse) -> dict[str, Any]:
    return {
        "heads": parse.heads[1:].tolist(),
        "labels": list(parse.labels or ()),
        "score": _number(parse.score),
        "bound": None if parse.bound is None else _number(parse.bound),
        "exact": parse.exact,
    }


def _number(value: float) -> float | None:
    return round(float(value), 6) if np.isfinite(value) else None


def _rival_heads(arcs: npt.NDArray[np.float64]) -> list[list[tuple[int, float]]]:
    """Return the most probable heads of each word with their probabilities, the best first."""
    columns = np.nan_to_num(arcs[:, 1:].T)
    best = np.argsort(-columns, axis=1, kind="stable")[:, :_RIVALS]
    return [
        [(int(head), round(float(chances[head]), 4)) for head in heads if chances[head] >= 0.0005]
        for heads, chances in zip(best, columns, strict=True)
    ]


def _steps(parser: Parser, encoded: Encoded, name: str) -> dict[str, Any]:
    if len(encoded.atoms) - 1 > _LONGEST:
        raise UsageError(f"a search is shown step by step for sentences of at most {_LONGEST} words")
    return {"climb": _climb, "dual": _dual}[name](parser, encoded)


def _climb(parser: Parser, encoded: Encoded) -> dict[str, Any]:
    """Climb from the best first-order tree; each step makes the change of one head that gains most."""
    start = parser.model.search("spanning-tree").best(encoded, 0)[0]
    heads, length = start.heads.copy(), len(start.heads)
    allowed = Candidates.all(length - 1).mask()
    trees, moves = [heads[1:].tolist()], list[dict[str, Any]]()
    for _ in range(4 * length):
        gains = rivals(parser.model.linear, encoded, 0, allowed, heads)
        gains[0] = -np.inf  # the root's child is fixed: replacing it by another word would take two moves
        words = np.flatnonzero(heads > 0)
        with np.errstate(invalid="ignore"):
            rises = gains[:, words].max(axis=0, initial=-np.inf) - gains[heads[words], words]
        if not len(words) or not (rises > 1e-9).any():
            break
        word = int(words[np.nanargmax(rises)])
        target = int(np.argmax(gains[:, word]))
        moves.append({"word": word, "from": int(heads[word]), "to": target, "gain": _number(np.nanmax(rises))})
        heads[word] = target
        trees.append(heads[1:].tolist())
    return {"kind": "climb", "trees": trees, "moves": moves}


def _dual(parser: Parser, encoded: Encoded) -> dict[str, Any]:
    """Run dual decomposition over head automata; return bound and score by iteration."""
    with Threads() as pool:
        allowed = parser.model.search().candidates(encoded, threads=pool).mask(0, len(encoded.atoms))
    parts, _ = automata_parts(encoded, 0, parser.model.linear.trees, allowed)
    found, _ = relax_tree(parts, DualRule(_ITERATIONS))
    if found.solution is None:
        raise UsageError("no tree can be built from the heads that the pruner kept")
    return {
        "kind": "dual",
        "bounds": _finite(np.minimum.accumulate(found.bounds)),
        "scores": _finite(np.maximum.accumulate(found.scores)),
        "certified": bool(found.certified),
        "tree": found.solution[1:].tolist(),
    }


def _finite(values: Sequence[float] | npt.NDArray[np.float64]) -> list[float | None]:
    return [_number(value) for value in values]
