"""Train with XPOS in both tag columns, and compare a hand-written tag map with those that Headway finds.

    python benchmarks/tag_sets.py --treebank UD_Chinese-GSD --map found --map derived --map none
    python benchmarks/tag_sets.py --treebank UD_English-EWT --map found --map none

Maps: ``hand``, of benchmarks/tag_maps; ``found``, what training uses by default; ``derived``, without the built-in
tables; ``none``, tags taken by their names. The script prints which tags the found map and the hand-written one send to
different universal tags: where there are none, training with either gives the same model. Treebanks are read from
HEADWAY_TREEBANKS, by default ../shared/treebanks; scores are those of the dev set.
"""

import argparse
import os
import time
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

from headway import Parser, Sentence, TrainingOptions, read_sentences
from headway.encoding.tag_finder import derive_tag_map, find_tag_map
from headway.encoding.tag_map import read_tag_map
from headway.evaluation import evaluate
from headway.progress import Progress

HERE = Path(__file__).resolve().parent
TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", HERE / "../../shared/treebanks"))


class Notes(Progress):
    """Print the notes of a training."""

    def note(self, message: str) -> None:
        print(message, flush=True)


def main() -> None:
    options = read_arguments()
    train = xpos_twice(TREEBANKS / options.treebank / "train.conllu.xz", most=options.sentences)
    dev = xpos_twice(TREEBANKS / options.treebank / "dev.conllu.xz")
    maps = tag_maps(train, options.treebank)
    print(difference(maps["found"], maps["hand"]), flush=True)
    for choice in options.map or ():
        began = time.process_time()
        parser = Parser.train(
            train,
            dev=dev,
            preset=options.preset,
            options=TrainingOptions(epochs=options.epochs, seed=options.seed),
            progress=Notes(),
            tag_map=None if choice == "found" else maps[choice],
        )
        seconds = time.process_time() - began
        if options.models:
            parser.save(options.models / f"{options.treebank}-{choice}.headway")
        scores = evaluate(dev, parser.parse(dev))
        figures = f"{scores.score('UAS').f1:.2f} | {scores.score('LAS').f1:.2f} | {seconds:.0f}"
        print(f"| {options.treebank} | {choice} | {figures} |", flush=True)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--treebank", default="UD_Chinese-GSD")
    parser.add_argument("--map", action="append", choices=("hand", "found", "derived", "none"), help="train with it")
    parser.add_argument("--sentences", type=int, help="train on so many sentences only, the first ones")
    parser.add_argument("--preset", default="full")
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", type=Path, help="a folder to keep the models in")
    return parser.parse_args()


def xpos_twice(path: Path, *, most: int | None = None) -> list[Sentence]:
    """Read sentences and write their XPOS into the column of coarse tags, too."""
    return [sentence.with_tags(upos=sentence.xpos) for sentence in islice(read_sentences(str(path)), most)]


def tag_maps(train: Sequence[Sentence], treebank: str) -> dict[str, Mapping[str, str]]:
    found = find_tag_map(train)
    return {
        "hand": read_tag_map(HERE / "tag_maps" / f"{treebank}.tsv"),
        "found": found.mapping if found else {},
        "derived": derive_tag_map(train).mapping,
        "none": {},
    }


def difference(found: Mapping[str, str], hand: Mapping[str, str]) -> str:
    """Say which tags of the training set two maps send to different universal tags."""
    other = [f"{tag} {universal}/{hand.get(tag)}" for tag, universal in found.items() if hand.get(tag) != universal]
    return f"found and hand-written map differ on {len(other)} of {len(found)} tags: {', '.join(other) or 'none'}"


if __name__ == "__main__":
    main()
