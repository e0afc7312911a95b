"""The constituent parser: grammar, words and counts in one; trained by counting, kept in one file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, TypedDict

import numpy as np
import numpy.typing as npt

from headway.charts.factorizations import FACTORIZATIONS, find_factorization
from headway.constituency.agreement import ITERATIONS, Agreement, Arcs, Partner, Tags, agree, edge_arcs
from headway.constituency.binarisation import unbinarised
from headway.constituency.cky import Leaves, fill_chart
from headway.constituency.familiar import familiar_words
from headway.constituency.forest import LEAF, LEFT, PARENT, RULE, START, SYMBOL, Forest, best_tree, best_values, pruned
from headway.constituency.grammar import Grammar, plain_label
from headway.constituency.head_rules import HeadRules, dependencies
from headway.constituency.k_best import agree_on_best, k_best_trees
from headway.constituency.lexical_counts import CountTable
from headway.constituency.lexical_model import lexicalised
from headway.constituency.lexical_rules import count_events, count_verbs, describe_rules
from headway.constituency.lexicon import Lexicon
from headway.constituency.tree import Tree, bare_label, has_words, stripped
from headway.corpus import Sentence
from headway.encoding import Encoder
from headway.errors import ModelError, UsageError
from headway.learning import TrainingOptions
from headway.model import MISFITS, TrainedModel, reason, rows_of
from headway.model_file import read_model_file, read_only, read_text_tensor, text_tensor, write_model_file
from headway.parser import Parser
from headway.progress import Progress
from headway.schema import Cells, Sized, Within, check_array, check_fields, check_json
from headway.scorers.rows import row_tensors
from headway.search.charts import chart_space, sentence_chart
from headway.tagging.tagger import Tagger, tag_plan
from headway.tagging.viterbi import Transitions, best_tags

LONGEST = 200
"""A sentence of more words is not searched: its tree is flat."""
_FALLBACK = "FRAG"
_WIDER = 2.0
"""How much wider the beam is where there is no tree at first."""

MODES = ("alone", "tags", "dependencies", "all")
"""What the parser is to agree with."""
GRAMMARS = ("lexicalised", "markovised", "both")
"""What scores the trees of the forest: Collins's model, the grammar without words that made it, or both."""


@dataclass(frozen=True)
class Weights:
    """Weights of the other models beside the parser's log probabilities, and the pruning of the forest.

    Parameters
    ----------
    tags, dependencies, grammar : float
        Chosen on samples of GUM's dev set, but for the last: that of the markovised grammar where both grammars
        count.
    beam, margin, narrow : float
        Of the chart's cells; of the forest before it has heads; of the forest with heads: log probabilities.
    """

    tags: Annotated[float, Within(0.0, 1e6)] = 4.0
    dependencies: Annotated[float, Within(0.0, 1e6)] = 2.0
    beam: Annotated[float, Within(0.0, 1e6)] = 10.0
    margin: Annotated[float, Within(0.0, 1e6)] = 8.0
    narrow: Annotated[float, Within(0.0, 1e6)] = 14.0
    grammar: Annotated[float, Within(0.0, 1e6)] = 0.3


class _Saved(TypedDict):
    """The description of a constituent parser in its model file: everything but counts and weights."""

    table: str
    weights: Any
    symbols: Annotated[list[str], Sized(1)]
    tags: Annotated[int, Within(1, 1e6)]
    tops: Annotated[dict[str, Annotated[int, Within(1, 1e9)]], Sized(1)]
    lexicon: tuple[list[str], list[str], Annotated[int, Within(1, 1e9)]]
    encoder: Any
    tagger: tuple[Annotated[list[Annotated[str, Cells()]], Sized(1)], Annotated[float, Within(1e-6, 1e6)]]


@dataclass(frozen=True)
class ConstituentParse:
    """A tree, and how it was found.

    Parameters
    ----------
    heads : list of int
        The head of every word, by the head rules: counted from 1, 0 for the root.
    score, bound : float
        Under all models that took part.
    certified : bool
        Whether the tree is proved to be the best of the forest.
    iterations : int
        Of dual decomposition; 1 where the parser was alone.
    fallback : bool
        Whether the grammar has no tree, and the tree is flat.
    rank : int
        1 for the best tree, 2 for the second one: see `ConstituentParser.k_best`.
    """

    tree: Tree
    heads: list[int]
    score: float
    bound: float
    certified: bool
    iterations: int
    fallback: bool = False
    rank: int = 1

    def data(self) -> dict[str, Any]:
        """All of it for JSON."""
        from headway.constituency.brackets import format_tree

        return {
            "tree": format_tree(self.tree),
            "words": self.tree.forms,
            "tags": self.tree.tags,
            "heads": self.heads,
            "score": None if self.fallback else self.score,
            "bound": None if self.fallback else self.bound,
            "certified": self.certified,
            "iterations": self.iterations,
            "fallback": self.fallback,
            "rank": self.rank,
        }


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
        The dependency parser, trained on the trees' own dependencies.
    """

    grammar: Grammar
    lexicon: Lexicon
    counts: CountTable
    encoder: Encoder
    tagger: Tagger
    dependencies: Parser
    table: str = "english"
    weights: Weights = field(default_factory=Weights)

    @classmethod
    def train(
        cls,
        trees: Sequence[Tree],
        *,
        dev: Sequence[Tree] | None = None,
        head_rules: str = "english",
        preset: str = "carreras",
        epochs: int = 5,
        seed: int = 1,
        progress: Progress | None = None,
    ) -> "ConstituentParser":
        """Count rules and words, and train the tagger and the dependency parser, on bracketed trees.

        Parameters
        ----------
        dev : sequence of Tree, optional
            Dev set: used for early stopping of the dependency parser.
        preset : str
            Of the dependency parser: one of the charts, which search projective trees exactly.
        """
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
        return cls(grammar, lexicon, counts, encoder, tagger, parser, head_rules)

    @cached_property
    def rules(self) -> HeadRules:
        """The head rules."""
        return HeadRules.read(self.table)

    @cached_property
    def _described(self) -> npt.NDArray[np.int32]:
        return describe_rules(self.grammar)

    def parse(
        self,
        sentences: Sequence[Sequence[str]],
        *,
        tags: Sequence[Sequence[str]] | None = None,
        mode: str = "all",
        iterations: int = ITERATIONS,
        step: str = "mixed",
        grammar: str = "lexicalised",
    ) -> Iterator[ConstituentParse]:
        """Parse sentences, each a list of words.

        Parameters
        ----------
        tags : sequence of sequences of str, optional
            Keep these tags; one that the grammar has never seen leaves the word its own ones.
        mode : str
            One of `MODES`.
        step : str
            One of `headway.constituency.agreement.STEPS`.
        grammar : str
            One of `GRAMMARS`.
        """
        for number, forms in enumerate(sentences):
            given = None if tags is None else tags[number]
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
        """Return the best trees of a sentence under all models that take part, best first.

        A tree is certified where it is proved that only those before it are better. Parameters as in `parse`.
        """
        if mode not in MODES:
            raise UsageError(f"no mode {mode!r}; there are {', '.join(MODES)}")
        if not forms:
            raise UsageError("a sentence without words")
        tags = None if tags is None else [bare_label(tag) for tag in tags]
        familiar = familiar_words(forms, self.lexicon.words)
        leaves, forest = self.forest(familiar, tags, grammar=grammar)
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
        parses: dict[Tree, ConstituentParse] = {}
        for one in found:
            tree = self.tree(forest, one.edges, forms)
            heads = dependencies(tree, self.rules)[0]
            parse = ConstituentParse(
                tree, heads, one.score, one.bound, one.certified, one.iterations, rank=len(parses) + 1
            )
            parses.setdefault(tree, parse)  # trees of the forest may differ in notes on labels only
        return list(parses.values())

    def leaves(self, forms: Sequence[str], tags: Sequence[str] | None = None) -> Leaves:
        """Return the tags that words may have, the given ones where the grammar knows them."""
        starts, numbers, scores = [0], list[int](), list[float]()
        for place, form in enumerate(forms):
            given = -1 if tags is None else self.grammar.number.get(tags[place], -1)
            if 0 <= given < self.grammar.tags:
                options = [(given, 0.0)]
            else:
                options = self.lexicon.tag_scores(form)
            numbers += [tag for tag, _ in options]
            scores += [score for _, score in options]
            starts.append(len(numbers))
        return Leaves(np.array(starts), np.array(numbers, dtype=np.int32), np.array(scores))

    def forest(
        self, forms: Sequence[str], tags: Sequence[str] | None = None, *, grammar: str = "lexicalised"
    ) -> tuple[Leaves, Forest | None]:
        """Return the leaves and the forest, with heads, of a sentence; None where the grammar has no tree for it.

        Both grammars score the same edges, so their sum needs no dual decomposition.
        """
        if grammar not in GRAMMARS:
            raise UsageError(f"no grammar {grammar!r}; there are {', '.join(GRAMMARS)}")
        leaves, weights = self.leaves(forms, tags), self.weights
        if len(forms) > LONGEST:
            return leaves, None
        for beam in (weights.beam, _WIDER * weights.beam):
            coarse = fill_chart(leaves, self.grammar.table, beam)
            if best_values(coarse, coarse.scores)[0][-1] > -np.inf:
                break
        else:
            return leaves, None
        sizes = np.diff(leaves.starts)
        classes = np.repeat([self.lexicon.word_class(form) for form in forms], sizes).astype(np.int32)
        likeliest = [
            self.grammar.symbols[
                leaves.tags[
                    start + int(np.argmax(leaves.scores[start:end] + self.lexicon.logs(leaves.tags[start:end])))
                ]
            ]
            for start, end in zip(leaves.starts[:-1], leaves.starts[1:], strict=True)
        ]
        forest = lexicalised(
            pruned(coarse, weights.margin), leaves, classes, count_verbs(likeliest), self._described, self.counts,
            self.grammar.table.top,
        )  # fmt: skip
        if grammar == "markovised":
            forest = forest._replace(scores=self._plain_scores(forest, leaves))
        elif grammar == "both":
            forest = forest._replace(scores=forest.scores + weights.grammar * self._plain_scores(forest, leaves))
        return leaves, pruned(forest, weights.narrow)

    def _plain_scores(self, forest: Forest, leaves: Leaves) -> npt.NDArray[np.float64]:
        """(edges,) The scores of the markovised grammar for the edges of a forest with heads."""
        table, rule = self.grammar.table, forest.edges[:, RULE]
        parent, left = forest.edges[:, PARENT], forest.edges[:, LEFT]
        is_leaf = left < 0
        tops = table.top[forest.items[np.where(is_leaf, 0, left), SYMBOL]]
        words = leaves.scores[forest.items[parent, LEAF]]
        return np.where(rule >= 0, table.scores[rule], np.where(is_leaf, words, tops))

    def partners(
        self, forms: Sequence[str], tags: Sequence[str] | None, leaves: Leaves, forest: Forest, mode: str
    ) -> list[Partner]:
        """Return the models that a mode makes the parser agree with, for one sentence."""
        found: list[Partner] = []
        if mode in ("tags", "all") and tags is None:
            found.append(self.tag_partner(forms, leaves))
        if mode in ("dependencies", "all"):
            found.append(self.arc_partner(forms, tags, leaves, forest))
        return found

    def tag_partner(self, forms: Sequence[str], leaves: Leaves) -> Tags:
        """Return the tagger, for one sentence."""
        emissions = self.tagger.emissions(self.encoder.encode([Sentence.from_words(forms)]))
        words = np.repeat(np.arange(len(forms)), np.diff(leaves.starts))
        allowed = np.full(emissions.shape, -np.inf)
        allowed[words, leaves.tags] = emissions[words, leaves.tags]
        pairs = np.stack([words, leaves.tags.astype(np.int64)], axis=1)
        return Tags(allowed, self.tagger.transitions, self.weights.tags, pairs)

    def arc_partner(self, forms: Sequence[str], tags: Sequence[str] | None, leaves: Leaves, forest: Forest) -> Arcs:
        """Return the dependency parser, over the arcs of the forest, for one sentence."""
        tags_used = self.tag([forms])[0] if tags is None else tags
        encoded = self.dependencies.model.encoder.encode([_sentence(forms, tags_used)])
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
        """Return the tagger's tags, of those that the lexicon lets words have."""
        found = []
        for forms in sentences:
            emissions = self.tag_partner(forms, self.leaves(forms)).emissions
            tags = np.empty(len(forms), dtype=np.int32)
            best_tags(emissions, self.tagger.transitions, 1.0, tags)
            found.append([self.tagger.names[tag] for tag in tags])
        return found

    def dependency_heads(self, sentences: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[list[int]]:
        """Return the heads that the dependency parser alone finds for words and their tags."""
        return [list(found.heads) for found in self.dependencies.parse(_sentence(*one) for one in sentences)]

    def tree(self, forest: Forest, edges: npt.NDArray[np.int32], forms: Sequence[str]) -> Tree:
        """Return the tree of a forest's edges, parents first, the one of the whole sentence among them."""
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
        """Return a tree for a sentence that the grammar has none for."""
        top = plain_label(max(self.grammar.tops, key=lambda name: self.grammar.tops[name]))
        return Tree((top, _FALLBACK, *tags), (-1, 0, *[1] * len(tags)), (None, None, *forms))

    def _flat(self, forms: Sequence[str], tags: Sequence[str]) -> ConstituentParse:
        tree = self.flat_tree(forms, tags)
        return ConstituentParse(tree, dependencies(tree, self.rules)[0], -np.inf, np.inf, False, 0, fallback=True)

    def save(self, path: str | Path) -> None:
        """Write a model file that `ConstituentParser.load` reads."""
        about = {
            "table": self.table,
            "weights": vars(self.weights),
            "symbols": list(self.grammar.symbols),
            "tags": self.grammar.tags,
            "tops": self.grammar.tops,
            "lexicon": [list(self.lexicon.words), list(self.lexicon.shapes), self.lexicon.least],
            "encoder": self.encoder.to_json(),
            "tagger": [list(self.tagger.names), self.tagger.temperature],
        }
        tensors = {
            **self.dependencies.model.tensors(),
            **row_tensors("tag", self.tagger.rows),
            "tag_pairs": self.tagger.transitions.pairs,
            "tag_triples": self.tagger.transitions.triples,
            "constituents": text_tensor(about),
            "constituent_rules": np.array(
                [(*rule, *[-1] * (4 - len(rule))) for rule in self.grammar.rules], dtype=np.int32
            ),
            "constituent_words": _pairs(self.lexicon.words),
            "constituent_shapes": _pairs(self.lexicon.shapes),
            "constituent_keys": self.counts.keys,
            "constituent_counts": self.counts.counts,
        }
        write_model_file(path, tensors, self.dependencies.model.facts)

    @classmethod
    def load(cls, path: str | Path) -> "ConstituentParser":
        """Read a model file; ModelError if there is something wrong with it."""
        tensors, facts = read_model_file(path)
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
            grammar = Grammar(tuple(about["symbols"]), int(about["tags"]), rows, about["tops"])
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
            tagger = Tagger(
                tuple(names), tag_plan(encoder), rows_of("tag", tensors, len(names)), transitions, temperature
            )
            return cls(
                grammar, lexicon, CountTable(keys, counts), encoder, tagger, parser, about["table"],
                Weights(**about["weights"]),
            )  # fmt: skip
        except UsageError as error:
            raise ModelError(f"{path}: {error}") from error
        except MISFITS as error:
            raise ModelError(f"{path}: the parts of this model do not fit together ({reason(error)})") from error


def as_sentence(tree: Tree, rules: HeadRules) -> Sentence:
    """Return the words, tags and dependencies of a tree."""
    heads, labels = dependencies(tree, rules)
    return _sentence(tree.forms, tree.tags).with_tree(heads, labels)


def _sentence(forms: Sequence[str], tags: Sequence[str]) -> Sentence:
    return Sentence.from_words(forms, upos=tags, xpos=tags)


def _check_preset(name: str) -> None:
    from headway.presets import PRESETS, find_preset

    if find_preset(name).decoder not in FACTORIZATIONS:
        charts = [preset.name for preset in PRESETS.values() if preset.decoder in FACTORIZATIONS]
        raise UsageError(f"the preset {name} has no chart decoder: choose one of {', '.join(charts)}")


def _pairs(counts: dict[str, dict[int, int]]) -> npt.NDArray[np.int32]:
    """(pairs, 3) Numbers of names, what they are counted with, and counts."""
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
