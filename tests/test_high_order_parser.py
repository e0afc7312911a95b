"""A parser with everything, small: parts of every order, a tensor, global features and a pruner."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import small_corpus
from small_parser import bare

from headway import presets
from headway.corpus import Sentence
from headway.errors import ConstraintError, ModelError
from headway.features.global_templates import FAMILIES
from headway.features.high_order import TEMPLATES
from headway.learning import TrainingOptions
from headway.model_file import read_model_file, read_text_tensor, text_tensor, write_model_file
from headway.parser import Parser
from headway.parts.candidate_batch import ALL_ARCS
from headway.parts.kinds import KINDS
from headway.parts.links import make_links, set_tree
from headway.parts.tree_scorer import tree_total
from headway.pruning import Pruner
from headway.scorers.linear_scorer import sentence_scores
from headway.search import SearchRule
from headway.search.climbing import trace_climbs
from headway.search.rivals import rivals
from headway.support.threads import Threads

SENTENCES = small_corpus.sample(60)
TRAIN, DEV = SENTENCES[:45], SENTENCES[45:]
EVERYTHING = replace(
    small_corpus.SMALL,
    name="small-full",
    tensor=presets.LowRank(rank=8),
    parts=presets.HighOrder({kind: TEMPLATES[kind] for kind in KINDS}, tuple(FAMILIES), slots=1 << 14, rows=1 << 13),
    pruning=presets.Pruning(),
    climbing=presets.Climbing(train_restarts=1),
)


def train(*, threads: int = 1, epochs: int = 3, checkpoint: Path | None = None) -> Parser:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(presets.PRESETS, EVERYTHING.name, EVERYTHING)
        options = TrainingOptions(epochs=epochs, threads=threads)
        return Parser.train(TRAIN, dev=DEV, preset=EVERYTHING.name, options=options, checkpoint=checkpoint)


@pytest.fixture(scope="module")
def parser() -> Parser:
    return train()


@pytest.fixture(scope="module")
def saved(parser: Parser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "full.headway"
    parser.save(path)
    return path


def heads(parser: Parser, sentences: list[Sentence] = SENTENCES, **options: object) -> list[list[int]]:
    return [list(sentence.heads) for sentence in parser.parse(map(bare, sentences), **options)]  # type: ignore[arg-type]


def test_it_learns_its_sentences(parser: Parser) -> None:
    pairs = [
        (one, other) for parsed, gold in zip(heads(parser, TRAIN), TRAIN, strict=True)
        for one, other in zip(parsed, gold.heads, strict=True)
    ]  # fmt: skip
    assert np.mean([one == other for one, other in pairs]) > 0.95


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_change_nothing(parser: Parser, saved: Path, threads: int, tmp_path: Path) -> None:
    assert heads(parser, threads=threads) == heads(parser)
    train(threads=threads).save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == saved.read_bytes()


def test_a_loaded_model_parses_the_same(parser: Parser, saved: Path) -> None:
    assert heads(Parser.load(saved)) == heads(parser)
    assert Parser.load(saved).description() == parser.description()


def test_training_goes_on_from_a_checkpoint_to_the_same_model(saved: Path, tmp_path: Path) -> None:
    train(epochs=1, checkpoint=tmp_path / "folder")
    train(checkpoint=tmp_path / "folder").save(tmp_path / "model")
    again, tensors = (read_model_file(path)[0] for path in (tmp_path / "model", saved))
    assert {name: value.tobytes() for name, value in again.items()} == {
        name: value.tobytes() for name, value in tensors.items()
    }


def test_the_way_to_search_can_be_chosen(parser: Parser) -> None:
    patient = heads(parser, search=SearchRule(start="uniform", restarts=30, seed=2))
    assert patient == heads(parser, search=SearchRule(start="uniform", restarts=30, seed=2))
    assert np.mean([one == other for one, other in zip(patient, heads(parser), strict=True)]) > 0.7


def test_a_narrower_search_takes_likely_heads_alone(parser: Parser) -> None:
    ratio, pruner = 0.2, parser.model.pruner
    assert isinstance(pruner, Pruner)
    encoded = parser.model.encoder.encode(SENTENCES)
    likely, all_left = (one.prune(encoded, threads=Threads()) for one in (pruner.narrowed(ratio), pruner))
    assert (likely.allowed <= all_left.allowed).all()
    assert likely.allowed.sum() < all_left.allowed.sum()
    np.testing.assert_array_equal(pruner.narrowed(0.0).prune(encoded, threads=Threads()).allowed, all_left.allowed)
    narrow = Parser(replace(parser.model, settings=replace(parser.model.settings, search_ratio=ratio)))
    found = heads(narrow)
    assert found != heads(parser)
    for sentence, tree in enumerate(found):
        assert likely.of(sentence)[tree, np.arange(1, len(tree) + 1)].all()
        assert narrow.parse_one(SENTENCES[sentence]).heads[1:].tolist() == tree
        (told,) = narrow.parse([SENTENCES[sentence]], confidence=True)
        chances = narrow.arc_probabilities(SENTENCES[sentence])[tree, np.arange(1, len(tree) + 1)]
        assert told.misc("HeadProb") == [f"{chance:.3f}" for chance in chances]
    table = narrow.arc_probabilities(SENTENCES[0])
    assert ((table > 0.0) & ~likely.of(0)).any()  # how sure it is, is told beside all heads that are left


def test_a_narrower_search_widens_where_constraints_ask_for_it(parser: Parser) -> None:
    settings = replace(parser.model.settings, search_ratio=1.0)  # one head a word, and those of one tree
    narrow, sentence = Parser(replace(parser.model, settings=settings)), DEV[0]
    assert isinstance(parser.model.pruner, Pruner)
    encoded = parser.model.encoder.encode([sentence])
    left = parser.model.pruner.prune(encoded, threads=Threads()).of(0)
    found = narrow.parse_one(sentence).heads
    for modifier in range(1, len(sentence) + 1):
        banned = [(int(found[modifier]), modifier)]
        others = [head for head in np.flatnonzero(left[:, modifier]).tolist() if head not in (0, found[modifier])]
        if found[modifier] != 0 and others:
            parse = narrow.parse_one(sentence, forbidden=banned)
            assert left[parse.heads[1:], np.arange(1, len(left))].all()  # among what is pruned, nothing is looked at
            break
    else:
        pytest.fail("no word of this sentence has two heads to choose from")
    away = next(head for head in range(1, len(left)) if head != modifier and not left[head, modifier])
    assert narrow.parse_one(sentence, required={modifier: away}).heads[modifier] == away


def test_models_that_know_nothing_of_narrower_searches(parser: Parser, saved: Path, tmp_path: Path) -> None:
    tensors, facts = read_model_file(saved)
    settings = read_text_tensor(tensors["settings"])
    del settings["search_ratio"]
    write_model_file(tmp_path / "old.headway", {**tensors, "settings": text_tensor(settings)}, facts)
    assert heads(Parser.load(tmp_path / "old.headway")) == heads(parser)


def test_constraints_are_honoured(parser: Parser) -> None:
    sentence = DEV[0]
    parse = parser.parse_one(sentence, required={2: 0, 1: 3}, forbidden=[(2, 3)])
    assert parse.heads[[2, 1]].tolist() == [0, 3]
    assert parse.heads[3] != 2
    assert len(parse.labels or ()) == len(sentence)
    with pytest.raises(ConstraintError):
        parser.parse_one(sentence, required={1: 2, 2: 1})


def test_probabilities_are_those_of_rival_heads(parser: Parser) -> None:
    for sentence in DEV:
        chances = parser.arc_probabilities(sentence)
        np.testing.assert_allclose(chances[:, 1:].sum(axis=0), 1.0)
        assert not chances[:, 0].any()
    (parsed,) = parser.parse([bare(DEV[0])], confidence=True)
    assert all(0.0 <= float(value) <= 1.0 for value in parsed.misc("HeadProb"))


def test_rivals_are_what_scoring_anew_says(parser: Parser) -> None:
    model, encoded = parser.model, parser.model.encoder.encode([DEV[1]])
    allowed = np.ones((len(DEV[1]) + 1,) * 2, dtype=np.bool_)
    [parse] = model.search(rule=SearchRule(restarts=2)).trees(encoded, ALL_ARCS)
    table = rivals(model.scorer, encoded, 0, allowed, parse.heads)
    scores, links = sentence_scores(encoded.atoms, encoded.tags, allowed, model.linear.trees), make_links(len(allowed))
    top, seen = int(np.flatnonzero(parse.heads == 0)[0]), set()
    for head, modifier in np.argwhere(table > -np.inf).tolist():
        tree = parse.heads.copy()
        tree[modifier] = head
        if modifier == top:
            tree[head] = 0  # takes its place
        elif head == 0:
            tree[top] = modifier
        seen.add((modifier == top, head == 0))
        set_tree(links, tree)
        loss = table[parse.heads[modifier], modifier] - table[head, modifier]
        assert parse.score - tree_total(scores, links) == pytest.approx(loss, abs=1e-6)
    assert len(seen) == 4


@pytest.mark.parametrize("start", ["uniform", "map"])
@pytest.mark.parametrize("restarts", [0, 1, 7, 40])
def test_threads_that_share_a_sentence_find_what_one_finds(parser: Parser, restarts: int, start: str) -> None:
    assert parser.model.pruner is not None
    for sentence in (DEV[1], DEV[2], DEV[3]):
        encoded = parser.model.encoder.encode([sentence])
        arcs, rule = parser.model.pruner.prune(encoded, threads=Threads()), SearchRule(start, restarts=restarts)
        found = []
        for number in (1, 2, 3, 8):
            with Threads(number) as threads:
                [parse] = parser.model.search(rule=rule).trees(encoded, arcs, threads=threads)
                found.append(parse.heads.tolist())
        assert found == [found[0]] * 4


def test_traces_end_no_lower_than_they_start(parser: Parser) -> None:
    encoded = parser.model.encoder.encode(DEV)
    assert parser.model.pruner is not None
    arcs, decoder = (
        parser.model.pruner.prune(encoded, threads=Threads()),
        SearchRule("first-order").decoder(projective=False),
    )
    trace = trace_climbs(encoded, 2, parser.model.linear.trees, arcs.of(2), decoder=decoder, climbs=7)
    assert trace.scores.shape == (7,)
    assert np.isfinite(trace.scores).all()
    begin, end = encoded.starts[2], encoded.starts[3]
    scores = sentence_scores(encoded.atoms[begin:end], encoded.tags[begin:end], arcs.of(2), parser.model.linear.trees)
    links = make_links(end - begin)
    for score, tree, start in zip(*trace, strict=True):
        set_tree(links, start)
        assert tree_total(scores, links) <= score + 1e-9
        set_tree(links, tree)
        assert tree_total(scores, links) == pytest.approx(score, abs=1e-6)


def test_a_long_sentence_is_parsed(parser: Parser) -> None:
    words = [word for sentence in SENTENCES for word in sentence.forms][:300]
    upos = [tag for sentence in SENTENCES for tag in sentence.upos][:300]
    (parsed,) = parser.parse([Sentence.from_words(words, upos=upos)])
    assert list(parsed.heads).count(0) == 1


@pytest.mark.parametrize("name", ["tensor_words", "tensor_kept", "part_values", "part_directory", "tensor_scales"])
def test_a_model_whose_parts_do_not_fit_is_refused(saved: Path, tmp_path: Path, name: str) -> None:
    tensors, facts = read_model_file(saved)
    tensors = {key: np.array(value) for key, value in tensors.items()}
    tensors[name] = tensors[name][:-1]
    write_model_file(tmp_path / "broken", tensors, facts)
    with pytest.raises(ModelError, match="do not fit together"):
        Parser.load(tmp_path / "broken")
