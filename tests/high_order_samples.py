"""Random sentences with random weights for parts of every kind, and slow ways to score their trees."""

import itertools
from collections.abc import Collection

import numpy as np
import small_corpus
from numpy.typing import NDArray

from headway.decoders import Decoder
from headway.encoding import Encoder
from headway.features.arc import ROW, make_arc_plan
from headway.features.high_order import PART_ROW, TEMPLATES, make_part_plan, part_hashes
from headway.features.templates import read_templates
from headway.features.words import frequent_slots, make_word_plan, word_features
from headway.parts.kinds import KINDS
from headway.scorers.linear_models import ArcModel, PartModel, TreeModel, tree_model
from headway.scorers.linear_scorer import LinearScorer, sentence_scores
from headway.scorers.rows import Rows, plain_rows
from headway.scorers.tensor import TRIPLE_SHAPES, Tensor, plain_tensor
from headway.scorers.trees import TreeScores
from headway.search import Search

SLOTS = 1 << 10
Key = tuple[str, int, tuple[int, ...]]


class Case:
    """A random sentence and a random model of its trees."""

    def __init__(self, seed: int, length: int, kinds: Collection[str] = KINDS) -> None:
        self.generator = np.random.default_rng(seed)
        self.length, self.kinds = length, tuple(kinds)
        sentence = small_corpus.random_sentence(self.generator, length)
        others = [small_corpus.random_sentence(self.generator, 10) for _ in range(4)]
        self.encoder = Encoder.fit([*others, sentence])
        self.encoded = self.encoder.encode([sentence])
        atoms = self.encoder.names
        plan = make_arc_plan("h.upos m.upos\nm.form", atoms=atoms, constant=(), tag_class=self.encoder.tag_classes())
        self.arcs = ArcModel(plan, self._rows(ROW))
        parts = make_part_plan({kind: TEMPLATES[kind] for kind in self.kinds}, atoms=atoms, constant=())
        self.parts = PartModel(parts, self._rows(PART_ROW), triples=self._triples())
        self.model: TreeModel = tree_model(self.arcs, self.parts)

    def search(self, decoder: Decoder) -> Search:
        """A search for its trees, without what the decoder cannot read."""
        scorer = LinearScorer(self.arcs, self.parts, getattr(decoder, "outer", 0))
        return Search(scorer, decoder, ignore=scorer.kinds)

    def _triples(self) -> Tensor:
        """A random tensor of siblings and grandparents."""
        names = self.encoder.names
        templates = read_templates("w.form\nw-1.upos w.upos", roles=("w",), atoms=names)
        kept = frequent_slots(self.encoded, templates, atoms=names, least=1, most=100)
        words = self.generator.normal(scale=0.3, size=(3, len(kept) + 1, 4)).astype(np.float32)
        shapes = self.generator.normal(size=(TRIPLE_SHAPES, 4)).astype(np.float32)
        return plain_tensor(make_word_plan(templates, atoms=names, kept=kept), words, shapes)

    def _rows(self, width: int) -> Rows:
        return plain_rows(self.generator.normal(scale=0.3, size=(SLOTS, width)).astype(np.float32))

    def scores(self, allowed: NDArray[np.bool_] | None = None) -> TreeScores:
        """The scorer of trees for kernels."""
        if allowed is None:
            allowed = np.ones((self.length + 1, self.length + 1), dtype=np.bool_)
        return sentence_scores(self.encoded.atoms, self.encoded.tags, allowed, self.model)

    def tree(self, roots: int = 1) -> NDArray[np.int32]:
        """A random tree, with that many children of the root at least."""
        heads = np.array([-1, *small_corpus.random_heads(self.generator, self.length)], dtype=np.int32)
        for word in self.generator.permutation(self.length)[: roots - 1] + 1:
            heads[word] = 0
        return heads

    def slow_total(self, heads: NDArray[np.int32], scores: TreeScores) -> float:
        """The score of a tree, part by part."""
        total = sum(scores.arc[scores.layout.number[heads[m], m]] for m in range(1, len(heads)))
        return float(total + sum(self.part(*key) for key in slow_parts(heads, self.kinds)))

    def part(self, kind: str, shape: int, words: tuple[int, ...]) -> float:
        """The score of one part, template by template."""
        hashes = part_hashes(self.encoded.atoms, self.parts.plan)
        begin, roles, templates, _ = hashes.layout[KINDS.index(kind)]
        table = hashes.values[begin : begin + roles * (self.length + 2) * templates]
        table = table.reshape(roles, self.length + 2, templates).astype(np.int64)
        total = 0.0
        for template in range(templates):
            row = self.parts.rows.values[sum(int(table[i, w, template]) for i, w in enumerate(words)) % SLOTS]
            total += float(row[0]) + (float(row[shape]) if shape else 0.0)
        if kind in ("sibling", "grandparent"):
            head, other = words[:2] if kind == "sibling" else words[1::-1]
            factor = self.parts.triples.shapes[[0, shape + (8 if kind == "grandparent" else 0)]].sum(axis=0)
            product = self._projected(0, other) * self._projected(1, head) * self._projected(2, words[2])
            total += float(product @ factor)
        return total

    def _projected(self, mode: int, word: int) -> NDArray[np.float32]:
        """The sum of the features of a word."""
        features = word_features(self.encoded.atoms, self.parts.triples.plan)
        return self.parts.triples.words[mode, features.rows[word, : features.counts[word]]].sum(axis=0)


def slow_parts(heads: NDArray[np.int32], kinds: Collection[str]) -> list[Key]:
    """The parts of a tree, each with its shape, straight from their definitions."""
    none, found = len(heads), []
    words = range(1, none)

    def add(kind: str, shape: int, *words_of_part: int) -> None:
        if kind in kinds:
            found.append((kind, shape, words_of_part))

    for head in range(none):
        for side in (0, 1):
            children = sorted(
                (m for m in words if heads[m] == head and (m > head) == (side == 1)), key=lambda m: abs(m - head)
            )
            row = [none, *children, none]
            for s, m in itertools.pairwise(row):
                gap = 0 if none in (s, m) else 1 if abs(s - m) <= 3 else 2
                add("sibling", 1 + 3 * side + gap, head, s, m)
                if head:
                    add("grand_sibling", 1 + 2 * (head > heads[head]) + side, heads[head], head, s, m)
            for t, s, m in zip(row, row[1:], row[2:], strict=False):
                add("tri_sibling", 1 + side, head, t, s, m)
            for s, m in itertools.pairwise(children):
                for one, other, inner in ((s, m, 1), (m, s, 0)):
                    for x in (x for x in words if heads[x] == one):
                        outwards = (x > one) == (one > head)
                        add("sibling_grandchild", 4 * side + 2 * inner + outwards, head, one, other, x)
            for place, m in enumerate(children):
                for s in children[:place]:
                    add("arbitrary_sibling", 1 + 3 * side + (1 if abs(s - m) <= 3 else 2), head, s, m)
    for m in words:
        h = int(heads[m])
        if m > 1:
            add("head_bigram", _bigram(int(heads[m - 1]), h, m), int(heads[m - 1]), h, m)
        if h:
            g = int(heads[h])
            away = (m > h) == (h > g)
            between = min(g, h) < m < max(g, h)
            add("grandparent", (1 if away else 2 if between else 3) + 3 * (h > g), g, h, m)
            if g:
                a = int(heads[g])
                add("great_grandparent", 4 * (g > a) + 2 * (h > g) + (m > h), a, g, h, m)
    return found


def _bigram(before: int, head: int, modifier: int) -> int:
    if before == head:
        return 1 if head < modifier else 2
    if before == modifier:
        return 3
    if head == modifier - 1:
        return 4
    return {(True, True): 5, (True, False): 6, (False, True): 7, (False, False): 0}[before < modifier, head < modifier]
