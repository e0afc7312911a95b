import pytest
from corpus_samples import ODD

from headway.corpus import (
    CONLL2009,
    CONLLU,
    CONLLX,
    conversion_losses,
    convert,
    format_sentence,
    parse_sentences,
)

X = (
    "1\tCathy\tCathy\tN\tN\teigen|ev\t2\tsu\t_\t_\n"
    "2\tzag\tzie\tV\tV\ttrans|ovt\t0\tROOT\t_\t_\n"
    "3\then\then\tPron\tPron\tper|3|mv\t2\tobj1\t2\tobj1\n"
    "\n"
)
Y2009 = (
    "1\tShe\tshe\tshe\tPRP\tPRP\t_\t_\t2\t2\tSBJ\tSBJ\t_\t_\tA0\n"
    "2\tsings\tsing\tsing\tVBZ\tNNS\t_\t_\t0\t1\tROOT\tOBJ\tY\tsing.01\t_\n"
    "\n"
)


@pytest.mark.parametrize(("text", "layout"), [(ODD, CONLLU), (X, CONLLX), (Y2009, CONLL2009)])
def test_each_layout_comes_out_as_it_went_in(text, layout):
    [sentence] = parse_sentences(text, layout=layout)
    assert format_sentence(sentence) == text
    assert convert(sentence, layout=layout) is sentence
    assert conversion_losses(sentence, layout=layout) == []


@pytest.mark.parametrize("layout", [CONLLU, CONLLX, CONLL2009])
def test_columns_are_named_as_they_are_used(layout):
    named = {layout.names[column] for column in (layout.form, layout.lemma, layout.head, layout.deprel)}
    assert named == {"FORM", "LEMMA", "HEAD", "DEPREL"}
    assert layout.names[layout.feats].startswith("FEAT")
    assert "POS" in layout.names[layout.upos]
    for first, twin in layout.twins:
        assert layout.names[twin] == "P" + layout.names[first]


def test_conll_x_columns():
    [sentence] = parse_sentences(X, layout=CONLLX)
    assert (sentence.upos[2], sentence.xpos[2], sentence.feats[2]) == ("Pron", "Pron", "per|3|mv")
    assert sentence.heads == [2, 0, 2]
    new = sentence.with_tree([0, 1, 1], ["a", "b", "c"])
    assert new.word_rows[2] == ["3", "hen", "hen", "Pron", "Pron", "per|3|mv", "1", "c", "2", "obj1"]


def test_conll_2009_reads_gold_and_writes_both():
    [sentence] = parse_sentences(Y2009, layout=CONLL2009)
    assert (sentence.upos, sentence.heads, sentence.labels) == (["PRP", "VBZ"], [2, 0], ["SBJ", "ROOT"])
    assert sentence.xpos == ["_", "_"]
    new = sentence.with_tree([0, 1], ["a", "b"])
    assert new.word_rows[1][4:] == ["VBZ", "NNS", "_", "_", "1", "1", "b", "b", "Y", "sing.01", "_"]


def test_conll_2009_reads_predictions_where_gold_is_hidden():
    rows = [row.split("\t") for row in Y2009.split("\n")[:2]]
    for row, feats in zip(rows, ("Num=Sg", "_"), strict=True):
        row[2] = row[4] = row[6] = row[8] = row[10] = "_"
        row[7] = feats
    text = "\n".join(map("\t".join, rows)) + "\n\n"
    [blind] = parse_sentences(text, layout=CONLL2009)
    assert (blind.lemmas, blind.upos, blind.feats) == (["she", "sing"], ["PRP", "NNS"], ["Num=Sg", "_"])
    assert (blind.heads, blind.labels) == ([-1, -1], ["_", "_"])
    assert [(word.lemma, word.upos, word.feats) for word in blind] == [("she", "PRP", "Num=Sg"), ("sing", "NNS", None)]
    assert format_sentence(blind) == text
    assert conversion_losses(blind, layout=CONLLU)[:2] == ["column PHEAD", "column PDEPREL"]
    assert convert(blind, layout=CONLLU).upos == ["PRP", "NNS"]
    rows[0][4] = "PRN"  # a gold tag: the column is used as it is
    [partly] = parse_sentences("\n".join(map("\t".join, rows)), layout=CONLL2009)
    assert partly.upos == ["PRN", "_"]


def test_losses_of_a_conversion_are_listed():
    [odd] = parse_sentences(ODD)
    expected = ["2 comments", "1 multiword range", "1 empty node", "column DEPS", "column MISC"]
    assert conversion_losses(odd, layout=CONLLX) == expected
    assert conversion_losses(odd, layout=CONLL2009) == expected
    [x] = parse_sentences(X, layout=CONLLX)
    assert conversion_losses(x, layout=CONLLU) == ["column PHEAD", "column PDEPREL"]
    assert "column POSTAG" in conversion_losses(x, layout=CONLL2009)
    [y] = parse_sentences(Y2009, layout=CONLL2009)
    assert conversion_losses(y, layout=CONLLU) == [
        *("column PPOS", "column PHEAD", "column PDEPREL", "column FILLPRED", "column PRED", "column APRED1"),
    ]


@pytest.mark.parametrize("layout", [CONLLX, CONLL2009])
def test_there_and_back(layout):
    [odd] = parse_sentences(ODD)
    there = convert(odd, layout=layout)
    assert list(parse_sentences(format_sentence(there), layout=layout)) == [there]
    back = convert(there, layout=CONLLU)
    for column in ("forms", "lemmas", "upos", "feats", "heads", "labels"):
        assert getattr(back, column) == getattr(there, column) == getattr(odd, column)
    assert conversion_losses(there, layout=CONLLU) == []


def test_converted_lines_are_written_out_in_full():
    [odd] = parse_sentences(ODD)
    assert format_sentence(convert(odd, layout=CONLLX)).split("\n")[3] == "4\tmar\tmar\tNOUN\t_\t_\t1\tobl\t_\t_"
    assert format_sentence(convert(odd, layout=CONLL2009)).split("\n")[3] == (
        "4\tmar\tmar\tmar\tNOUN\tNOUN\t_\t_\t1\t1\tobl\tobl\t_\t_"
    )
