"""Scores of the trees that sampling finds, beside those of hill climbing: both tables of one model.

    python benchmarks/sampling.py --model turkish.headway --treebank UD_Turkish-IMST

The same as ``headway analyze sampling MODEL dev.conllu.xz --equal-time``, with the dev set of a treebank found in
HEADWAY_TREEBANKS, by default ../shared/treebanks, and several seeds of the comparison.
"""

import argparse
import os
from pathlib import Path

from headway import Parser, read_sentences
from headway.analysis import rows_table
from headway.analysis.equal_time import SEEDS, compare_at_equal_time
from headway.analysis.sampling import compare_speeds, length_samples, samplers

TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", Path(__file__).resolve().parent / "../../shared/treebanks"))


def main() -> None:
    options = read_arguments()
    parser = Parser.load(options.model)
    sentences = read_sentences(TREEBANKS / options.treebank / "dev.conllu.xz")
    groups, proposals = length_samples(parser, sentences, most=options.sentences), samplers(parser)
    if "equal" in options.tables:
        compared = compare_at_equal_time(groups, proposals, restarts=options.restarts, seeds=options.seeds)
        print(rows_table([comparison.row() for comparison in compared]), flush=True)
    if "speeds" in options.tables:
        print(rows_table(compare_speeds(groups, proposals).rows()), flush=True)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="one that hill climbing can search, such as `full`")
    parser.add_argument("--treebank", required=True)
    parser.add_argument("--sentences", type=int, default=75, help="of each group of lengths, at most")
    parser.add_argument("--restarts", type=int, help="of hill climbing in `equal`; the model's by default")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="for `equal`")
    parser.add_argument("--tables", nargs="*", choices=("equal", "speeds"), default=["equal", "speeds"])
    return parser.parse_args()


if __name__ == "__main__":
    main()
