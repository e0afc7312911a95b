"""Text beside its tokens."""

import codecs

import pytest
import small_corpus
from hypothesis import given
from hypothesis import strategies as st

from headway.corpus import format_sentence, parse_sentences
from headway.corpus.text import Token, make_sentence, rebuild_text, surface_tokens, text_parts, treebank_text

DONT = """\
# newpar
# text = I don't.
1\tI\t_\t_\t_\t_\t_\t_\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tdo\t_\t_\t_\t_\t_\t_\t_\t_
3\tn't\t_\t_\t_\t_\t_\t_\t_\t_
3.1\tgo\t_\t_\t_\t_\t_\t_\t_\t_
4\t.\t_\t_\t_\t_\t_\t_\t_\t_

"""


def test_tokens_are_what_is_written_together() -> None:
    [sentence] = parse_sentences(DONT)
    assert list(surface_tokens(sentence)) == [
        ("I", ["I"], True),
        ("don't", ["do", "n't"], False),
        (".", ["."], True),
    ]


def test_the_text_of_a_treebank() -> None:
    found = treebank_text([*parse_sentences(DONT), *parse_sentences(DONT.replace("# newpar\n", ""))])
    assert found.text == "I don't. I don't."
    assert [found.text[:end].split()[-1] for end in found.ends] == ["I", "don't", "don't."] * 2
    assert found.last == [False, False, True] * 2
    again = treebank_text([*parse_sentences(DONT), *parse_sentences(DONT)])
    assert again.text == "I don't.\n\nI don't."
    assert treebank_text([]).text == ""


def test_the_text_of_the_sample_is_what_its_comments_say() -> None:
    sentences = small_corpus.sample(40)
    assert treebank_text(sentences).text == " ".join(sentence.metadata["text"] for sentence in sentences)


@given(
    words=st.lists(st.text("abé'|\\", min_size=1, max_size=4), min_size=1, max_size=8),
    gaps=st.lists(st.sampled_from(["", " ", "  ", "\n", "\t\r\n", "\u00a0"]), min_size=9, max_size=9),
)
def test_a_text_can_be_rebuilt(words: list[str], gaps: list[str]) -> None:
    text, tokens = gaps[0], []
    for word, gap in zip(words, gaps[1:], strict=False):
        tokens.append(Token(word, len(text), len(text) + len(word), (word,)))
        text += word + gap
    sentence = make_sentence(tokens, text, number=1, before=0, after=len(text))
    assert rebuild_text([sentence]) == text
    assert sentence.forms == words
    ranges = [value for value in sentence.misc("TokenRange") if value]
    assert [text[slice(*map(int, value.split(":")))] for value in ranges] == words


@given(st.lists(st.text("a|\\ \n\u00a0\u2028\x00\x85\ud800\U000e0001", min_size=1, max_size=4), min_size=1, max_size=5))
def test_tokens_with_anything_inside_can_be_rebuilt(forms: list[str]) -> None:
    text, tokens = "".join(forms), []
    for form in forms:
        start = tokens[-1].end if tokens else 0
        tokens.append(Token(form, start, start + len(form), (form,)))
    sentence = make_sentence(tokens, text, number=1, before=0, after=len(text))
    [again] = parse_sentences(format_sentence(sentence).encode().decode())  # a file can hold it
    assert again.forms == sentence.forms
    assert rebuild_text([again]) == text


@given(st.text("aé漢.\r\n ", max_size=120), st.integers(1, 7), st.integers(1, 9))
def test_a_text_in_parts_is_the_same_text(text: str, least: int, size: int) -> None:
    data = text.encode()
    parts = list(text_parts([data[place : place + size] for place in range(0, len(data), size)], least=least))
    assert "".join(parts) == text
    assert parts == list(text_parts([data], least=least))
    assert all(least <= len(part) <= 4 * least for part in parts[:-1])


def test_blank_lines_stay_with_what_is_before_them() -> None:
    assert list(text_parts([b"aaaa\n", b"\n\n", b"\nb\n\n", b" \n"], least=4)) == ["aaaa\n\n\n\n", "b\n\n \n"]


def test_control_characters_are_no_part_of_a_treebanks_text() -> None:
    odd = DONT.replace("don't", "don't\x97").replace("\tI\t", "\t\x92\t")
    assert treebank_text(parse_sentences(odd)).text == "don't."
    between = "1\tdogs" + "\t_" * 7 + "\tSpaceAfter=No\n2\t\x92" + "\t_" * 8 + "\n3\tbark" + "\t_" * 8 + "\n\n"
    assert treebank_text(parse_sentences(between)).text == "dogs bark"


def test_a_multiword_token_with_white_space_inside() -> None:
    sentence = make_sentence([Token("a\u00a0b", 0, 3, ("a", "b"))], "a\u00a0b", number=1, before=0, after=3)
    assert [row[1] for row in sentence.rows] == ["a b", "a", "b"]
    assert rebuild_text([sentence]) == "a\u00a0b"


def test_multiword_tokens_have_a_line_of_their_own() -> None:
    tokens = [Token("don't", 0, 5, ("do", "n't")), Token("go", 6, 8, ("go",))]
    sentence = make_sentence(tokens, "don't go", number=3, before=0, after=8, offset=100)
    assert [row[0] for row in sentence.rows] == ["1-2", "1", "2", "3"]
    assert sentence.forms == ["do", "n't", "go"]
    assert sentence.comments == ["# sent_id = 3", "# text = don't go"]
    assert sentence.rows[0][-1] == "TokenRange=100:105"
    assert rebuild_text([sentence]) == "don't go"


def test_forms_with_white_space_inside_can_be_written() -> None:
    sentence = make_sentence([Token("10\n000", 0, 6, ("10\n000",))], "10\n000", number=1, before=0, after=6)
    assert sentence.forms == ["10 000"]


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_encodings_by_their_marks(encoding: str, size: int) -> None:
    text = "The café waits. 日本 🙂\n"
    data = codecs.BOM_UTF16_BE * (encoding == "utf-16-be") + text.encode(encoding)
    chunks = [data[first : first + size] for first in range(0, len(data), size)]
    assert "".join(text_parts(chunks)) == text


def test_texts_shorter_than_a_mark() -> None:
    assert list(text_parts([b"a"])) == ["a"]
    assert list(text_parts([])) == []
    assert list(text_parts([codecs.BOM_UTF8])) == []
    assert list(text_parts([codecs.BOM_UTF8[:2]])) == ["\ufffd"]
    assert list(text_parts([codecs.BOM_UTF8[:1]])) == ["\ufffd"]
