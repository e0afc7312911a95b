"""Tests of the documents that a text is parsed into."""

import json

import pytest
import small_corpus

from headway.corpus import parse_sentences
from headway.document import Doc, sentence_json

SENTENCES = tuple(small_corpus.sample(2))


def test_every_form_of_a_document() -> None:
    sure = SENTENCES[0].with_misc("HeadProb", ["0.5"] * len(SENTENCES[0]))
    doc = Doc("a text", (sure, SENTENCES[1]))
    assert list(parse_sentences(doc.to_conllu())) == [sure, SENTENCES[1]]
    first, second = doc.sentences
    assert [word.text for word in first] == SENTENCES[0].forms
    assert [word.head_index for word in second] == SENTENCES[1].heads
    assert [word.head.index if word.head else 0 for word in second] == SENTENCES[1].heads
    assert doc.words == list(doc) == [*first, *second]
    assert (len(doc), doc[-1], doc[1:3]) == (len(first) + len(second), second.words[-1], first[1:3])
    assert {word.confidence for word in first} == {0.5}
    assert {word.confidence for word in second} == {None}
    assert json.loads(json.dumps(doc.to_json()))[0]["words"][0]["form"] == SENTENCES[0].forms[0]
    assert [sentence.confidence for sentence in doc.sentences] == [None, None]
    assert doc.to_svg(1).startswith("<svg")
    page = doc.to_html()
    assert page.count("<section") == page.count("<svg") == 2
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert doc._repr_html_().count("<svg") == 2


def test_how_sure_a_document_is() -> None:
    [sentence] = parse_sentences(
        "# tree_prob = 0.25\n"
        "1\tDogs\t_\tNOUN\t_\t_\t2\tnsubj\t_\tHeadProb=0.900|SecondHead=0|SecondProb=0.080\n"
        "2\tbark\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    )
    doc = Doc("Dogs bark", (sentence,))
    first, second = doc
    assert (first.confidence, first.second_head, first.second_head_index, first.second_confidence) == (
        0.9, None, 0, 0.08,
    )  # fmt: skip
    assert (second.confidence, second.second_head_index, second.second_confidence) == (None, None, None)
    assert (first.lemma, first.xpos, first.feats, second.head, second.head_index) == (None, None, None, None, 0)
    assert doc.sentences[0].confidence == 0.25
    assert doc.to_json()[0]["confidence"] == 0.25


def test_where_words_are_in_the_text() -> None:
    [sentence] = parse_sentences(
        "# sent_id = 7\n# tree = 2\n# score = 1.5\n"
        "1\tWe\t_\tPRON\t_\t_\t2\tnsubj\t_\tTokenRange=0:2\n"
        "2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No|TokenRange=3:8\n"
        "2\tdo\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
        "3\tn't\t_\tPART\t_\t_\t2\tadvmod\t_\t_\n"
        "3.1\tgo\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "4\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"
    )
    doc = Doc("We don't.", (sentence,))
    assert [(word.start, word.end) for word in doc] == [(0, 2), (3, 5), (5, 8), (None, None)]
    [other] = parse_sentences(
        "1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tTokenRange=4:6\n1\tde\t_\t_\t_\t_\t0\troot\t_\t_\n"
        "2\tle\t_\t_\t_\t_\t1\tdet\t_\t_\n\n"
    )
    assert [(word.start, word.end) for word in other] == [(4, 6), (4, 6)]
    assert other.text == "du"


def test_trees_can_be_walked() -> None:
    for sentence in SENTENCES:
        for word in sentence:
            assert all(child.head == word for child in word.children)
            assert [child.index for child in word.children] == [
                index for index, head in enumerate(sentence.heads, start=1) if head == word.index
            ]
            below = {word}
            for child in word.children:
                below |= set(child.subtree)
            assert set(word.subtree) == below
        assert sentence.root is not None
        assert len(sentence.root.subtree) == len(sentence)


def test_ranks_in_json() -> None:
    [sentence] = parse_sentences("# sent_id = 7\n# tree = 2\n# score = 1.5\n1\tGo\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    doc = Doc("Go", (sentence,))
    [found] = doc.to_json()
    assert (found["id"], found["rank"], found["score"]) == ("7", 2, 1.5)
    assert "rank" not in Doc("", SENTENCES).to_json()[0]


def test_no_sentences() -> None:
    empty = Doc("", ())
    assert empty.to_conllu() == ""
    assert empty.words == []
    assert "no sentence" in empty.to_html()


def test_markup_in_a_text_is_only_text() -> None:
    [sentence] = parse_sentences("# text = <script>\n1\t<script>\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    assert "<script>" not in Doc("", (sentence,)).to_html()


@pytest.mark.parametrize(
    ("comments", "fields"),
    [
        ("# optimal = yes\n", {"optimal": True, "ignored": []}),
        ("# optimal = yes, ignoring: head_bigram, global\n", {"optimal": True, "ignored": ["head_bigram", "global"]}),
        ("# gap = 0.2500\n", {"optimal": False, "gap": 0.25, "ignored": []}),
        ("# gap = inf, ignoring: global\n", {"optimal": False, "gap": None, "ignored": ["global"]}),
        (
            "# gap = inf\n# parsed_in_pieces = 2\n",
            {"optimal": False, "gap": None, "ignored": [], "parsed_in_pieces": 2},
        ),
        ("# parsed_in_pieces = 13\n", {"parsed_in_pieces": 13}),
        ("# optimal\n# gap = of the text\n# parsed_in_pieces = many\n", {}),  # of the treebank
    ],
)
def test_certificates_in_json(comments: str, fields: dict[str, object]) -> None:
    [sentence] = parse_sentences(f"{comments}1\tGo\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    found = sentence_json(sentence)
    names = ("optimal", "gap", "ignored", "parsed_in_pieces")
    assert {name: found[name] for name in names if name in found} == fields
