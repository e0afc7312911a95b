"""Calibration of confidences: the share of right heads among arcs of each confidence.

headway parse dev.conllu --model english.headway --confidence -o parsed.conllu
python experiments/calibration.py dev.conllu parsed.conllu
"""

import sys
from itertools import pairwise

import numpy as np

from headway import read_sentences


def main() -> None:
    chances, right = [], []
    for gold, system in zip(read_sentences(sys.argv[1]), read_sentences(sys.argv[2]), strict=True):
        chances += map(float, system.misc("HeadProb"))
        right += [mine == theirs for mine, theirs in zip(system.heads, gold.heads, strict=True)]
    chance, correct = np.array(chances), np.array(right)
    edges = [0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0 + 1e-9]
    print("| HeadProb | arcs | mean | right heads |\n| --- | --- | --- | --- |")
    error = 0.0
    for low, high in pairwise(edges):
        chosen = (chance >= low) & (chance < high)
        error += abs(chance[chosen].sum() - correct[chosen].sum()) / len(chance)
        row = f"{chosen.sum():,} | {chance[chosen].mean():.3f} | {correct[chosen].mean():.3f}"
        print(f"| {low:.2f} to {min(high, 1):.2f} | {row} |")
    print(f"\nexpected calibration error over these bins: {error:.4f}")


if __name__ == "__main__":
    main()
