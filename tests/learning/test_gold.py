from pathlib import Path

import pytest

from headway.corpus import Sentence, read_sentences
from headway.encoding import Encoder
from headway.errors import CorpusError, TreeError
from headway.learning.gold import check_gold, gold_trees, joined_roots, nonprojective_share


def tree(*heads: int, labels: str = "") -> Sentence:
    words = [f"w{number}" for number in range(len(heads))]
    return Sentence.from_words(words, heads=heads, labels=list(labels) or ["dep"] * len(heads))


@pytest.mark.parametrize(
    ("heads", "reason"),
    [
        ("2 1 0", "not a valid tree: cycle: 1 -> 2 -> 1"),
        ("2 _ 0", "not a valid tree: no head for word 2"),
        ("_ _ _", "not a valid tree: no head for words 1, 2, 3"),
        ("2 3 2", "not a valid tree: no word is the root"),
    ],
)
def test_a_sentence_without_a_tree_is_refused_by_name_and_line(heads: str, reason: str, tmp_path: Path) -> None:
    rows = [f"{n}\tw\t_\t_\t_\t_\t{head}\tdep\t_\t_\n" for n, head in enumerate(heads.split(), start=1)]
    path = tmp_path / "gold.conllu"
    path.write_text("1\tw\t_\t_\t_\t_\t0\troot\t_\t_\n\n" + "".join(rows) + "\n")
    with pytest.raises(CorpusError) as caught:
        check_gold(list(read_sentences(path)), "train on")
    assert str(caught.value) == f"{path}:3: {reason}"


def test_nothing_to_learn_from_is_refused() -> None:
    with pytest.raises(TreeError, match="no sentence to train on"):
        check_gold([], "train on")


def test_joined_roots_make_one_tree() -> None:
    several = Sentence.from_words(["a", "b", "c", "d"], heads=[2, 0, 0, 0], labels=["x", "root", "y", "z"])
    single = Sentence.from_words(["a", "b"], heads=[0, 1], labels=["root", "x"])
    sentences = [single, several]
    gold = gold_trees(sentences, Encoder.fit(sentences), ["root", "x", "y", "z"])
    joined = joined_roots(gold)
    assert joined.heads.tolist() == [-1, 0, 1, -1, 2, 0, 2, 2]
    assert joined.labels.tolist() == gold.labels.tolist()
    assert gold.heads.tolist()[3:] == [-1, 2, 0, 0, 0]


def test_several_roots_are_let_through() -> None:
    check_gold([tree(0, 0, 2)], "train on")


def test_heads_and_labels_lie_like_the_atoms() -> None:
    sentences = [tree(2, 0, labels="ab"), tree(0, labels="c")]
    gold = gold_trees(sentences, Encoder.fit(sentences), ["b", "a"])
    assert gold.heads.tolist() == [-1, 2, 0, -1, 0]
    assert gold.labels.tolist() == [-1, 1, 0, -1, -1]
    assert len(gold) == 2


def test_share_of_crossing_arcs() -> None:
    assert nonprojective_share([tree(3, 0, 2, 2), tree(0, 1, 1, 1)]) == 1 / 8
    assert nonprojective_share([tree(0, 1)]) == 0.0
    assert nonprojective_share([]) == 0.0
