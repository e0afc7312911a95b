"""The Python blocks of pages that begin with something a reader already has: a model, or scores."""

import re
from dataclasses import replace
from pathlib import Path

import brute_force
import numpy as np
import part_samples
import pytest
import small_corpus
import small_parser

from headway.corpus import write_sentences
from headway.learning import TrainingOptions
from headway.models import find_model
from headway.parser import Parser
from headway.presets import Incremental

DOCS = Path(__file__).resolve().parent.parent / "docs"


def scores(*kinds):
    """Candidates and scores of a made-up sentence."""
    generator = np.random.default_rng(1)
    case = part_samples.Case(generator, brute_force.random_table(generator, 4, "normal"), kinds)
    return {"candidates": case.candidates, "scores": case.scores}


def english():
    Path("english.headway").symlink_to(find_model("en"))


def constituents():
    tree = "(ROOT (S (NP (NNS Dogs)) (VP (VBP bark)) (. .)))"
    from headway.constituency.brackets import parse_trees
    from headway.constituency.parser import ConstituentParser

    ConstituentParser.train(list(parse_trees(tree)) * 6, preset="sibling", epochs=1).save("en.const.headway")


def incremental():
    rule = Incremental(beam=4, slots=1 << 12, rows=1 << 11)
    preset = replace(small_corpus.SMALL, incremental=rule)
    options = TrainingOptions(epochs=1)
    Parser.train(small_parser.TRAIN, dev=small_parser.DEV, preset=preset, options=options).save("english.headway")


def parsers():
    sentences = [small_parser.bare(sentence) for sentence in small_parser.DEV]
    write_sentences("other.conllu", small_parser.DEV)
    first = small_parser.trained()
    return {
        "first": first, "second": first, "third": first, "dev": small_parser.DEV, "parser": first,
        "sentences": sentences,
    }  # fmt: skip


PAGES = {
    "certificates.md": lambda: scores("sibling"),
    "constituents.md": constituents,
    "greedy.md": parsers,
    "hill-climbing.md": dict,
    "incremental.md": incremental,
    "neural.md": lambda: {"parser": small_parser.trained()},
    "projective-charts.md": lambda: scores("sibling", "grandparent", "grand_sibling"),
    "text.md": english,
}


@pytest.mark.parametrize("page", PAGES)
def test_python_blocks_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(DOCS)
    names = PAGES[page]() or {}
    for block in re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL):
        if "import spacy" in block:
            pytest.importorskip("spacy", reason="needs spaCy: pip install 'headway[spacy]'")
        exec(compile(block, page, "exec"), names)


def test_no_python_block_is_left_out():
    elsewhere = {"index.md", "tutorial.md", "migration.md"}  # tests of their own
    pages = {page.name for page in DOCS.rglob("*.md") if "```python" in page.read_text(encoding="utf-8")}
    assert pages - elsewhere == set(PAGES)
