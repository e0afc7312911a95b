"""Train a constituent parser on bracketed trees: the counts of a grammar, a tagger and a dependency parser."""

from collections.abc import Iterable, Sequence
from typing import Any

from headway.charts.factorizations import FACTORIZATIONS
from headway.constituency.grammar import Grammar
from headway.constituency.head_rules import HeadRules, dependencies
from headway.constituency.lexical_rules import count_events
from headway.constituency.lexicon import Lexicon
from headway.constituency.tree import Tree, has_words, stripped
from headway.corpus import Sentence
from headway.encoding import Encoder
from headway.errors import UsageError
from headway.learning import TrainingOptions
from headway.parser import Parser
from headway.progress import Progress
from headway.support.arguments import check_iterable
from headway.tagging.tagger import Tagger


def train_parts(
    trees: Iterable[Tree],
    *,
    dev: Iterable[Tree] | None,
    head_rules: str,
    preset: str,
    epochs: int,
    seed: int,
    progress: Progress | None,
) -> dict[str, Any]:
    """Return the arguments of `ConstituentParser`; see `ConstituentParser.train`."""
    trees = _checked_trees(trees)
    dev = None if dev is None else _checked_trees(dev)
    progress, rules = progress or Progress(), HeadRules.read(head_rules)
    _check_preset(preset)
    bare = [stripped(tree) for tree in trees if has_words(tree)]
    if not bare:
        raise UsageError("no trees to train on")
    grammar = Grammar.fit(bare, rules)
    lexicon = Lexicon.fit([(tree.forms, tree.tags) for tree in bare])
    counts = count_events(bare, grammar, lexicon, rules)
    progress.note("grammar counted; training the tagger")
    sentences = [as_sentence(tree, rules) for tree in bare]
    encoder = Encoder.fit(sentences, ignored=("lemma", "xpos", "feats"), affixes=True)
    tags = [tag for tree in bare for tag in tree.tags]
    allowed = lexicon.allowed([form for tree in bare for form in tree.forms])
    tagger = Tagger.fit(encoder, encoder.encode(sentences), tags, seed=seed, allowed=allowed)
    progress.note("training the dependency parser")
    held = None if dev is None else [as_sentence(stripped(tree), rules) for tree in dev if has_words(tree)]
    parser = Parser.train(
        sentences, dev=held, preset=preset, options=TrainingOptions(epochs=epochs, seed=seed), progress=progress
    )
    return {
        "grammar": grammar,
        "lexicon": lexicon,
        "counts": counts,
        "encoder": encoder,
        "tagger": tagger,
        "dependencies": parser,
        "table": head_rules,
    }


def as_sentence(tree: Tree, rules: HeadRules) -> Sentence:
    """Return the words, tags and dependencies of a tree."""
    heads, labels = dependencies(tree, rules)
    return to_sentence(tree.forms, tree.tags).with_tree(heads, labels)


def to_sentence(forms: Sequence[str], tags: Sequence[str]) -> Sentence:
    """Return words and tags without a tree."""
    return Sentence.from_words(forms, upos=tags, xpos=tags)


def _checked_trees(trees: Iterable[Tree]) -> list[Tree]:
    """Return the trees as a list; TypeError if they are something else."""
    check_iterable(trees, "an iterable of trees (headway.constituency.brackets.read_trees reads files)")
    checked = list(trees)
    for tree in checked:
        if not isinstance(tree, Tree):
            raise TypeError(f"expected a tree (headway.constituency.tree.Tree), got {type(tree).__name__}")
    return checked


def _check_preset(name: str) -> None:
    from headway.presets import PRESETS, find_preset

    if find_preset(name).decoder.name not in FACTORIZATIONS:
        charts = [preset.name for preset in PRESETS.values() if preset.decoder.name in FACTORIZATIONS]
        raise UsageError(f"the preset {name} has no chart decoder: choose one of {', '.join(charts)}")
