"""Read and write the model file of a constituent parser: its dependency parser's, with grammar, lexicon and tagger."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import numpy as np
import numpy.typing as npt

from headway.charts.factorizations import FACTORIZATIONS
from headway.constituency.grammar import Grammar
from headway.constituency.lexical_counts import CountTable
from headway.constituency.lexicon import Lexicon
from headway.constituency.parses import Weights
from headway.encoding import Encoder
from headway.errors import ModelError, UsageError
from headway.model import MISFITS, TrainedModel, reason, rows_of
from headway.model_file import read_model_file, read_only, read_text_tensor, text_tensor, write_model_file
from headway.models import find_model, known_models
from headway.parser import Parser
from headway.scorers.rows import row_tensors
from headway.support.arguments import check_path
from headway.support.schema import Cells, Sized, Within, check_array, check_fields, check_json
from headway.tagging.tagger import Tagger, tag_plan
from headway.tagging.viterbi import Transitions

if TYPE_CHECKING:
    from headway.constituency.parser import ConstituentParser


class _Saved(TypedDict):
    """The description of a constituent parser in its model file: everything except counts and weights."""

    table: str
    weights: Any
    symbols: Annotated[list[str], Sized(1)]
    tags: Annotated[int, Within(1, 1e6)]
    tops: Annotated[dict[str, Annotated[int, Within(1, 1e9)]], Sized(1)]
    lexicon: tuple[list[str], list[str], Annotated[int, Within(1, 1e9)]]
    encoder: Any
    tagger: tuple[Annotated[list[Annotated[str, Cells()]], Sized(1)], Annotated[float, Within(1e-6, 1e6)]]


def save_parser(parser: "ConstituentParser", path: str | Path) -> None:
    """Write a model file for `load_parts`."""
    about = {
        "table": parser.table,
        "weights": vars(parser.weights),
        "symbols": list(parser.grammar.symbols),
        "tags": parser.grammar.tags,
        "tops": parser.grammar.tops,
        "lexicon": [list(parser.lexicon.words), list(parser.lexicon.shapes), parser.lexicon.least],
        "encoder": parser.encoder.to_json(),
        "tagger": [list(parser.tagger.names), parser.tagger.temperature],
    }
    tensors = {
        **parser.dependencies.model.tensors(),
        **row_tensors("tag", parser.tagger.rows),
        "tag_pairs": parser.tagger.transitions.pairs,
        "tag_triples": parser.tagger.transitions.triples,
        "constituents": text_tensor(about),
        "constituent_rules": np.array(
            [(*rule, *[-1] * (4 - len(rule))) for rule in parser.grammar.rules], dtype=np.int32
        ),
        "constituent_words": _pairs(parser.lexicon.words),
        "constituent_shapes": _pairs(parser.lexicon.shapes),
        "constituent_keys": parser.counts.keys,
        "constituent_counts": parser.counts.counts,
    }
    write_model_file(path, tensors, parser.dependencies.model.facts)


def load_parts(path: str | Path) -> dict[str, Any]:
    """Read a model file and return the arguments of `ConstituentParser`; ModelError if it is not valid."""
    check_path(path, "the path of a model")
    tensors, facts = read_model_file(find_model(path) if str(path) in known_models() else path)
    tensors = read_only(tensors)
    if "constituents" not in tensors:
        raise ModelError(f"{path}: not a constituent parser: make one with headway constituents train")
    parser = Parser(TrainedModel.from_tensors(path, tensors, facts))
    try:
        about = read_text_tensor(tensors["constituents"])
        check_json(about, _Saved, "constituents")
        check_fields(about["weights"], Weights, "weights")
        names, temperature = about["tagger"]
        encoder, size = Encoder.from_json(about["encoder"]), len(names) + 1
        grammar = _read_grammar(about, tensors)
        words, shapes, least = about["lexicon"]
        tags = grammar.symbols[: grammar.tags]
        if tuple(names) != tags:
            raise ValueError("the tagger has other tags than the grammar")
        if parser.model.settings.decoder not in FACTORIZATIONS:
            raise ValueError("the dependency parser has no chart decoder")
        lexicon = Lexicon(
            tags, _read_pairs(words, tensors, "constituent_words", len(tags)),
            _read_pairs(shapes, tensors, "constituent_shapes", len(tags)), int(least),
        )  # fmt: skip
        keys = check_array(tensors, "constituent_keys", np.uint64, (None,))
        counts = check_array(tensors, "constituent_counts", np.float32, (len(keys), 2), (0, 1e9))
        if len(keys) & (len(keys) - 1) or not (keys == 0).any():
            raise ValueError("the counts are no hash table")
        transitions = Transitions(
            check_array(tensors, "tag_pairs", np.float32, (size, size), (-1e6, 1e6)),
            check_array(tensors, "tag_triples", np.float32, (size, size, size), (-1e6, 1e6)),
        )
        tagger = Tagger(tuple(names), tag_plan(encoder), rows_of("tag", tensors, len(names)), transitions, temperature)
        return {
            "grammar": grammar,
            "lexicon": lexicon,
            "counts": CountTable(keys, counts),
            "encoder": encoder,
            "tagger": tagger,
            "dependencies": parser,
            "table": about["table"],
            "weights": Weights(**about["weights"]),
        }
    except UsageError as error:
        raise ModelError(f"{path}: {error}") from error
    except MISFITS as error:
        raise ModelError(f"{path}: the parts of this model do not fit together ({reason(error)})") from error


def _read_grammar(about: _Saved, tensors: Mapping[str, npt.NDArray[Any]]) -> Grammar:
    """Read the grammar; ValueError if it is not valid."""
    symbols = len(about["symbols"])
    rules = check_array(tensors, "constituent_rules", np.int32, (None, 4), (-1, 1 << 30))
    is_binary = rules[:, 3] >= 0
    if not len(rules) or (rules[:, :3] < 0).any() or about["tags"] > symbols:
        raise ValueError("the rules are none")
    if rules[:, :2].max() >= symbols or rules[is_binary, 2].max(initial=0) >= symbols:
        raise ValueError("a rule has a symbol that is none")
    if (np.where(is_binary, rules[:, 3], rules[:, 2]) < 1).any() or (rules[:, 0] < about["tags"]).any():
        raise ValueError("a rule has no count, or makes a tag")
    if not set(about["tops"]) <= set(about["symbols"]) or len(set(about["symbols"])) < symbols:
        raise ValueError("the symbols are not those of a grammar")
    rows = [tuple(number for number in row if number >= 0) for row in rules.tolist()]
    return Grammar(tuple(about["symbols"]), int(about["tags"]), rows, about["tops"])


def _pairs(counts: dict[str, dict[int, int]]) -> npt.NDArray[np.int32]:
    """(pairs, 3) Return indices of names, indices of what is counted, and counts."""
    rows = [(place, key, count) for place, keyed in enumerate(counts.values()) for key, count in keyed.items()]
    return np.array(rows, dtype=np.int32).reshape(-1, 3)


def _read_pairs(
    names: list[str], tensors: Mapping[str, npt.NDArray[Any]], name: str, keys: int
) -> dict[str, dict[int, int]]:
    rows = check_array(tensors, name, np.int32, (None, 3), (0, 1 << 30))
    if len(rows) and (rows[:, 0].max() >= len(names) or rows[:, 1].max() >= keys or rows[:, 2].min() < 1):
        raise ValueError(f"{name} counts what there is not")
    found: list[dict[int, int]] = [{} for _ in names]
    for place, key, count in rows.tolist():
        found[place][key] = count
    return dict(zip(names, found, strict=True))
