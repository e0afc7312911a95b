"""Tokens and sentences alone: F1 on dev text, learned with the dev set and without.

    python benchmarks/segments.py --treebank UD_Turkish-IMST

With the dev set, it tells how to learn; without, a tenth of the train set does. All treebanks with text by default.
Treebanks are read from HEADWAY_TREEBANKS, by default ../shared/treebanks.
"""

import argparse

from peers import TREEBANKS, WITH_TEXT

from headway import read_sentences
from headway.corpus.text import treebank_text
from headway.tagging.segmenter import Segmenter


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--treebank", action="append", help="only this one; may be given several times")
    parser.add_argument("--without", action="store_true", help="only without the dev set")
    options = parser.parse_args()
    print(
        "| treebank | learned | tokens | sentences | wide | leaning |\n| --- | --- | --- | --- | --- | --- |",
        flush=True,
    )
    for name in options.treebank or [f"UD_{name}" for name in WITH_TEXT]:
        train, dev = (list(read_sentences(TREEBANKS / name / f"{part}.conllu.xz")) for part in ("train", "dev"))
        gold = treebank_text(dev)
        for told in (None,) if options.without else (dev, None):
            segmenter = Segmenter.fit(train, dev=told)
            tokens, sentences = (f"{100 * score:.2f}" for score in segmenter.agreement(gold))
            how = "without dev" if told is None else "with dev"
            cells = (name, how, tokens, sentences, segmenter.wide, f"{segmenter.leaning:+.3f}")
            print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
