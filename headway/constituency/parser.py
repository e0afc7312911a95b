"""The constituent parser: grammar, lexicon and counts, with a tagger and a dependency parser, in one model file."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from headway.charts.factorizations import find_factorization
from headway.constituency.agreement import ITERATIONS, STEPS, Agreement, agree
from headway.constituency.binarisation import unbinarised
from headway.constituency.cky import Leaves, fill_chart
from headway.constituency.familiar import familiar_words
from headway.constituency.forest import LEAF, LEFT, PARENT, RULE, START, SYMBOL, Forest, best_tree, best_values, pruned
from headway.constituency.grammar import Grammar, plain_label
from headway.constituency.head_rules import TABLES, HeadRules, dependencies
from headway.constituency.k_best import agree_on_best, k_best_trees
from headway.constituency.lexical_counts import CountTable
from headway.constituency.lexical_model import lexicalised
from headway.constituency.lexical_rules import count_verbs, describe_rules
from headway.constituency.lexicon import Lexicon
from headway.constituency.parses import ConstituentParse, Weights
from headway.constituency.partners import Arcs, Partner, Tags, edge_arcs
from headway.constituency.saving import load_parts, save_parser
from headway.constituency.training import to_sentence, train_parts
from headway.constituency.tree import MARKER, Tree, bare_label
from headway.corpus import Sentence
from headway.corpus.word import counted
from headway.encoding import Encoder
from headway.errors import UsageError
from headway.parser import Parser
from headway.progress import Progress
from headway.search.charts import chart_space, sentence_chart
from headway.support.arguments import check_iterable, check_whole, check_words
from headway.tagging.tagger import Tagger
from headway.tagging.viterbi import best_tags

LONGEST = 200
"""The maximum number of words for parsing; longer sentences get a flat tree."""
_WIDER = 2.0
"""The factor by which the beam is widened if there is no tree at first."""

_OTHER_TAG = 3.0
"""The cost of another tag than a given one, as a difference in log probability, if there is no tree otherwise."""

MODES = ("alone", "tags", "dependencies", "all")
"""The models that the parser must agree with."""
GRAMMARS = ("lexicalised", "markovised", "both")
"""The models that score the forest: Collins's lexicalised model, the grammar without words, or both."""


@dataclass(frozen=True)
class ConstituentParser:
    """A trained constituent parser; see `headway.load_constituents`.

    Parameters
    ----------
    grammar, lexicon, counts
        The lexicalised parser.
    encoder, tagger
        The trigram tagger.
    dependencies : Parser
        The dependency parser, trained on dependencies derived from the trees.
    """

    grammar: Grammar
    lexicon: Lexicon
    counts: CountTable
    encoder: Encoder
    tagger: Tagger
    dependencies: Parser
    table: str = "english"
    weights: Weights = field(default_factory=Weights)

    def __repr__(self) -> str:
        sizes = (self.grammar.tags, "tag"), (len(self.grammar.rules), "rule"), (len(self.lexicon.words), "word")
        return f"<ConstituentParser with {', '.join(counted(size, name) for size, name in sizes)}>"

    @classmethod
    def train(
        cls,
        trees: Iterable[Tree],
        *,
        dev: Iterable[Tree] | None = None,
        head_rules: str = "english",
        preset: str = "carreras",
        epochs: int = 5,
        seed: int = 1,
        progress: Progress | None = None,
    ) -> "ConstituentParser":
        """Count rules and words, and train the tagger and the dependency parser, on bracketed trees.

        Parameters
        ----------
        dev : iterable of Tree, optional
            Dev set: used for early stopping of the dependency parser.
        preset : str
            The preset of the dependency parser; it must have a chart decoder, which is exact for projective trees.
        """
        parts = train_parts(
            trees, dev=dev, head_rules=head_rules, preset=preset, epochs=epochs, seed=seed, progress=progress
        )
        return cls(**parts)

    @cached_property
    def rules(self) -> HeadRules:
        """The table of head rules."""
        return HeadRules.read(self.table)

    @cached_property
    def _described(self) -> npt.NDArray[np.int32]:
        return describe_rules(self.grammar)

    def parse(
        self,
        sentences: Iterable[Sequence[str]],
        *,
        tags: Iterable[Sequence[str]] | None = None,
        mode: str = "all",
        iterations: int = ITERATIONS,
        step: str = "mixed",
        grammar: str = "lexicalised",
    ) -> Iterator[ConstituentParse]:
        """Parse sentences, each a list of words.

        Parameters
        ----------
        tags : iterable of sequences of str, optional
            Tags to use, which the trees keep. Grammar rules see a word's possible tags instead if the grammar does not
            know its tag; and, at a cost, if there is no tree with all the tags.
        mode : str
            One of `MODES`.
        step : str
            One of `headway.constituency.agreement.STEPS`.
        grammar : str
            One of `GRAMMARS`.
        """
        check_iterable(sentences, "an iterable of sentences, each a list of words")
        for forms, given in _with_tags(sentences, tags):
            yield self.k_best(forms, 1, tags=given, mode=mode, iterations=iterations, step=step, grammar=grammar)[0]

    def k_best(
        self,
        forms: Sequence[str],
        most: int,
        *,
        tags: Sequence[str] | None = None,
        mode: str = "all",
        iterations: int = ITERATIONS,
        step: str = "mixed",
        grammar: str = "lexicalised",
    ) -> list[ConstituentParse]:
        """Return the best trees of a sentence under all models of the mode, best first.

        A tree is certified if only the trees before it can be better. Parameters are as in `parse`.
        """
        check_words(forms)
        check_whole("most", most)
        check_whole("iterations", iterations)
        if most < 1 or iterations < 1:
            raise UsageError(f"the numbers of trees and iterations must be at least 1, not {min(most, iterations)}")
        if step not in STEPS:
            raise UsageError(f"no step {step!r}; choose from {', '.join(STEPS)}")
        if mode not in MODES:
            raise UsageError(f"no mode {mode!r}; choose from {', '.join(MODES)}")
        if not forms:
            raise UsageError("a sentence without words")
        if tags is not None and len(tags) != len(forms):
            raise UsageError(f"{len(forms)} words have {len(tags)} tags")
        tags = None if tags is None else [bare_label(tag) for tag in tags]
        familiar = familiar_words(forms, self.lexicon.words)
        leaves, forest = self.forest(familiar, tags, grammar=grammar)
        if forest is None and tags is not None:
            leaves, forest = self.forest(familiar, tags, grammar=grammar, fixed=False)
        if forest is None:
            return [self._flat(forms, self.tag([familiar])[0] if tags is None else tags)]
        partners = self.partners(familiar, tags, leaves, forest, mode)
        if not partners:
            listed = k_best_trees(forest, forest.scores, most) if most > 1 else [best_tree(forest)]
            found = [Agreement(edges, score, score, 1) for score, edges in listed]
        elif most > 1:
            found = agree_on_best(forest, partners, most, iterations=iterations, step=step)
        else:
            found = [agree(forest, partners, iterations=iterations, step=step)]
        names = tuple(sorted(partner.name for partner in partners))
        parses: dict[Tree, ConstituentParse] = {}
        for one in found:
            tree = self.tree(forest, one.edges, forms)
            heads = dependencies(tree, self.rules)[0]
            tree = tree if tags is None else tree.with_tags(tags)
            parse = ConstituentParse(
                tree,
                heads,
                one.score,
                one.bound,
                one.certified,
                one.iterations,
                rank=len(parses) + 1,
                partners=names,
            )
            parses.setdefault(tree, parse)  # trees of the forest can differ only in notes on labels
        return list(parses.values())

    def leaves(self, forms: Sequence[str], tags: Sequence[str] | None = None, *, fixed: bool = True) -> Leaves:
        """Return the possible tags of words, which are the given tags if the grammar knows them.

        Unless the tags are `fixed`, a word has its other possible tags, too, at a cost.
        """
        starts, numbers, scores = [0], list[int](), list[float]()
        for place, form in enumerate(forms):
            given = -1 if tags is None else self.grammar.number.get(tags[place], -1)
            if not 0 <= given < self.grammar.tags:
                options = dict(self.lexicon.tag_scores(form))
            elif fixed:
                options = {given: 0.0}
            else:
                options = dict(self.lexicon.tag_scores(form))
                best = max(options.values())
                options = {tag: score - best - _OTHER_TAG for tag, score in options.items()} | {given: 0.0}
            numbers += sorted(options)
            scores += [options[tag] for tag in sorted(options)]
            starts.append(len(numbers))
        return Leaves(np.array(starts), np.array(numbers, dtype=np.int32), np.array(scores))

    def forest(
        self,
        forms: Sequence[str],
        tags: Sequence[str] | None = None,
        *,
        grammar: str = "lexicalised",
        fixed: bool = True,
    ) -> tuple[Leaves, Forest | None]:
        """Return the leaves and the forest, with heads, of a sentence; None for the forest if there is no tree.

        Both grammars score the same edges, so their sum needs no dual decomposition. See `forests` and `leaves`.
        """
        leaves, found = self.forests(forms, tags, grammars=(grammar,), fixed=fixed)
        return leaves, found.get(grammar)

    def forests(
        self,
        forms: Sequence[str],
        tags: Sequence[str] | None = None,
        *,
        grammars: Sequence[str] = GRAMMARS,
        fixed: bool = True,
    ) -> tuple[Leaves, dict[str, Forest]]:
        """Return the leaves, and the forest with the scores of each grammar; no forests if there is no tree."""
        if unknown := [grammar for grammar in grammars if grammar not in GRAMMARS]:
            raise UsageError(f"no grammar {unknown[0]!r}; choose from {', '.join(GRAMMARS)}")
        leaves, weights = self.leaves(forms, tags, fixed=fixed), self.weights
        if len(forms) > LONGEST:
            return leaves, {}
        for beam in (weights.beam, _WIDER * weights.beam):
            coarse = fill_chart(leaves, self.grammar.table, beam)
            if best_values(coarse, coarse.scores)[0][-1] > -np.inf:
                break
        else:
            return leaves, {}
        classes = np.repeat([self.lexicon.word_class(form) for form in forms], np.diff(leaves.starts))
        forest = lexicalised(
            pruned(coarse, weights.margin), leaves, classes.astype(np.int32), count_verbs(self._likeliest(leaves)),
            self._described, self.counts, self.grammar.table.top,
        )  # fmt: skip
        plain = self._plain_scores(forest, leaves) if set(grammars) != {"lexicalised"} else forest.scores
        scores = {
            "lexicalised": forest.scores, "markovised": plain, "both": forest.scores + weights.grammar * plain
        }  # fmt: skip
        return leaves, {name: pruned(forest._replace(scores=scores[name]), weights.narrow) for name in grammars}

    def _likeliest(self, leaves: Leaves) -> list[str]:
        """Return the most probable tag of each word, without context."""
        chances = leaves.scores + self.lexicon.logs(leaves.tags)
        best = [
            start + int(np.argmax(chances[start:end]))
            for start, end in zip(leaves.starts[:-1], leaves.starts[1:], strict=True)
        ]
        return [self.grammar.symbols[tag] for tag in leaves.tags[best]]

    def _plain_scores(self, forest: Forest, leaves: Leaves) -> npt.NDArray[np.float64]:
        """(edges,) Return the scores of the markovised grammar for the edges of a forest with heads."""
        table, rule = self.grammar.table, forest.edges[:, RULE]
        parent, left = forest.edges[:, PARENT], forest.edges[:, LEFT]
        is_leaf = left < 0
        tops = table.top[forest.items[np.where(is_leaf, 0, left), SYMBOL]]
        words = leaves.scores[forest.items[parent, LEAF]]
        return np.where(rule >= 0, table.scores[rule], np.where(is_leaf, words, tops))

    def partners(
        self, forms: Sequence[str], tags: Sequence[str] | None, leaves: Leaves, forest: Forest, mode: str
    ) -> list[Partner]:
        """Return the models of a mode, for one sentence."""
        found: list[Partner] = []
        if mode in ("tags", "all") and tags is None:
            found.append(self.tag_partner(forms, leaves))
        if mode in ("dependencies", "all"):
            found.append(self.arc_partner(forms, tags, leaves, forest))
        return found

    def tag_partner(self, forms: Sequence[str], leaves: Leaves) -> Tags:
        """Return the tagger as a partner, for one sentence."""
        emissions = self.tagger.emissions(self.encoder.encode([Sentence.from_words(forms)]))
        words = np.repeat(np.arange(len(forms)), np.diff(leaves.starts))
        allowed = np.full(emissions.shape, -np.inf)
        allowed[words, leaves.tags] = emissions[words, leaves.tags]
        pairs = np.stack([words, leaves.tags.astype(np.int64)], axis=1)
        return Tags(allowed, self.tagger.transitions, self.weights.tags, pairs)

    def arc_partner(self, forms: Sequence[str], tags: Sequence[str] | None, leaves: Leaves, forest: Forest) -> Arcs:
        """Return the dependency parser as a partner, over the arcs of the forest, for one sentence."""
        tags_used = self.tag([forms])[0] if tags is None else tags
        encoded = self.dependencies.model.encoder.encode([to_sentence(forms, tags_used)])
        words = np.repeat(np.arange(len(forms)), np.diff(leaves.starts))
        heads, modifiers = edge_arcs(forest, words)
        allowed = np.zeros((len(forms) + 1, len(forms) + 1), dtype=np.bool_)
        allowed[heads[modifiers > 0], modifiers[modifiers > 0]] = True
        search = self.dependencies.model.search()
        factorization = find_factorization(search.decoder.factorization)  # type: ignore[attr-defined]
        space = chart_space(factorization, search.scorer.trees)  # type: ignore[attr-defined]
        chart, scores, _ = sentence_chart(encoded.atoms, encoded.tags, allowed, search.scorer.trees, space, True)  # type: ignore[attr-defined]
        return Arcs(chart, scores, self.weights.dependencies, words)

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """Predict tags by the tagger, restricted to the possible tags in the lexicon."""
        found = []
        for forms in sentences:
            emissions = self.tag_partner(forms, self.leaves(forms)).emissions
            tags = np.empty(len(forms), dtype=np.int32)
            best_tags(emissions, self.tagger.transitions, 1.0, tags)
            found.append([self.tagger.names[tag] for tag in tags])
        return found

    def dependency_heads(self, sentences: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[list[int]]:
        """Predict heads from words and tags by only the dependency parser."""
        return [list(found.heads) for found in self.dependencies.parse(to_sentence(*one) for one in sentences)]

    def tree(self, forest: Forest, edges: npt.NDArray[np.int32], forms: Sequence[str]) -> Tree:
        """Build a tree from the edges of a forest, parents first, including the edge of the whole sentence."""
        labels, parents, words = list[str](), list[int](), list[str | None]()
        above: dict[int, int] = {}
        for parent, left, right, _ in forest.edges[edges[1:]].tolist():
            number = len(labels)
            labels.append(self.grammar.symbols[forest.items[parent, SYMBOL]])
            parents.append(above.get(parent, -1))
            words.append(forms[forest.items[parent, START]] if left < 0 else None)
            above |= {child: number for child in (left, right) if child >= 0}
        return unbinarised(Tree(tuple(labels), tuple(parents), tuple(words))).with_labels(plain_label)

    def flat_tree(self, forms: Sequence[str], tags: Sequence[str]) -> Tree:
        """Return a flat tree: the fallback if the grammar has no tree for a sentence.

        If the top mostly has one child, a phrase, the words are in a phrase of the most frequent label there.
        """
        top = max(self.grammar.tops, key=lambda name: self.grammar.tops[name])
        below: Counter[str] = Counter()
        for parent, child, *more in self.grammar.rules:
            if parent == self.grammar.number[top]:
                name = self.grammar.symbols[child]
                alone = len(more) == 1 and child >= self.grammar.tags and MARKER not in name
                below[plain_label(name) if alone else ""] += more[-1]
        phrases = [plain_label(top)]
        if 2 * below.pop("", 0) < below.total():
            phrases += [label for label, _ in below.most_common(1)]
        above = range(-1, len(phrases) - 1)
        parents, nothing = [*above, *[len(phrases) - 1] * len(tags)], [None] * len(phrases)
        return Tree((*phrases, *tags), tuple(parents), (*nothing, *forms))

    def _flat(self, forms: Sequence[str], tags: Sequence[str]) -> ConstituentParse:
        tree = self.flat_tree(forms, tags)
        return ConstituentParse(tree, dependencies(tree, self.rules)[0], -np.inf, np.inf, False, 0, fallback=True)

    def description(self) -> dict[str, Any]:
        """Describe the model as plain data, ready for JSON: its sizes, and its dependency parser."""
        return {
            "head_rules": self.table if self.table in TABLES else "custom",
            "tags": self.grammar.tags,
            "rules": len(self.grammar.rules),
            "words": len(self.lexicon.words),
            "dependencies": self.dependencies.description(),
        }

    def save(self, path: str | Path) -> None:
        """Write a model file for `ConstituentParser.load`."""
        save_parser(self, path)

    @classmethod
    def load(cls, path: str | Path) -> "ConstituentParser":
        """Read a model file; ModelError if it is not valid."""
        return cls(**load_parts(path))


def _with_tags(
    sentences: Iterable[Sequence[str]], tags: Iterable[Sequence[str]] | None
) -> Iterator[tuple[Sequence[str], Sequence[str] | None]]:
    """Yield each sentence with its tags, None if there are no tags; UsageError if one of the two is shorter."""
    if tags is None:
        yield from ((forms, None) for forms in sentences)
        return
    check_iterable(tags, "an iterable of lists of tags, one for each sentence")
    for number, (forms, given) in enumerate(zip_longest(sentences, tags)):
        if forms is None or given is None:
            raise UsageError(f"there are {'sentences' if forms is None else 'tags'} for {number} sentences only")
        check_words(given)
        yield forms, given
