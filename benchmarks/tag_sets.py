"""Train with XPOS in both tag columns, and compare a hand-written tag map with those that Headway finds.

    python benchmarks/tag_sets.py --treebank UD_Chinese-GSD --map found --map derived --map none
    python benchmarks/tag_sets.py --treebank UD_English-EWT --map found --map none
    python benchmarks/tag_sets.py --treebank UD_Turkish-IMST --classes

Maps: ``hand``, of benchmarks/tag_maps; ``found``, what training uses by default; ``derived``, without the built-in
tables; ``trees``, derived without relations, too; ``none``, tags taken by their names. The script prints which tags the
found map and the hand-written one send to different universal tags: where there are none, training with either gives
the same model. With ``--classes``, nothing is trained: it prints how well the classes of UPOS are told, precision and
recall over the words of the training set. Treebanks are read from HEADWAY_TREEBANKS, by default ../shared/treebanks;
scores are those of the dev set.
"""

import argparse
import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

from headway import Parser, Sentence, TrainingOptions, read_sentences
from headway.encoding.tag_finder import derive_tag_map, find_tag_map
from headway.encoding.tag_map import ADPOSITION, COORDINATOR, NOUN, PUNCTUATION, VERB, read_tag_map, word_class
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
    if options.classes:
        gold = islice(read_sentences(str(TREEBANKS / options.treebank / "train.conllu.xz")), options.sentences)
        upos = [tag for sentence in gold for tag in sentence.upos]
        xpos = [tag for sentence in train for tag in sentence.upos]
        for choice, tag_map in maps.items():
            print(f"| {options.treebank} | {choice} | {' | '.join(class_scores(upos, xpos, tag_map))} |")
        return
    if "hand" in maps:
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
    parser.add_argument(
        "--map", action="append", choices=("hand", "found", "derived", "trees", "none"), help="train with it"
    )
    parser.add_argument("--classes", action="store_true", help="train nothing, and score the classes of words")
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
    found, by_hand = find_tag_map(train), HERE / "tag_maps" / f"{treebank}.tsv"
    unlabelled = [sentence.with_tree(sentence.heads, ["_"] * len(sentence)) for sentence in train]
    return {
        **({"hand": read_tag_map(by_hand)} if by_hand.exists() else {}),
        "found": found.mapping if found else {},
        "derived": derive_tag_map(train).mapping,
        "trees": derive_tag_map(unlabelled).mapping,
        "none": {},
    }


def class_scores(upos: Sequence[str], xpos: Sequence[str], tag_map: Mapping[str, str]) -> list[str]:
    """Precision and recall of punctuation, coordinators, adpositions, nouns and verbs."""
    pairs = Counter[tuple[int, int]]()
    for (universal, tag), count in Counter(zip(upos, xpos, strict=True)).items():
        pairs[word_class(universal, {}), word_class(tag, tag_map)] += count
    gold, told = Counter[int](), Counter[int]()
    for (true, found), count in pairs.items():
        gold[true] += count
        told[found] += count
    classes = (PUNCTUATION, COORDINATOR, ADPOSITION, NOUN, VERB)
    shares = ((pairs[one, one] / max(1, told[one]), pairs[one, one] / max(1, gold[one])) for one in classes)
    return [f"{100 * precision:.1f} / {100 * recall:.1f}" for precision, recall in shares]


def difference(found: Mapping[str, str], hand: Mapping[str, str]) -> str:
    """Say which tags of the training set two maps send to different universal tags."""
    other = [f"{tag} {universal}/{hand.get(tag)}" for tag, universal in found.items() if hand.get(tag) != universal]
    return f"found and hand-written map differ on {len(other)} of {len(found)} tags: {', '.join(other) or 'none'}"


if __name__ == "__main__":
    main()
