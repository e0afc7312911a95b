"""Sentences made up for the tests."""

from headway.corpus import Sentence

ODD = (
    "# sent_id = 1\n"
    "# text = Voy al mar y tú no.\n"
    "1\tVoy\tir\tVERB\t_\tMood=Ind|Number=Sing\t0\troot\t0:root\t_\n"
    "2-3\tal\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\ta\ta\tADP\t_\t_\t4\tcase\t4:case\t_\n"
    "3\tel\tel\tDET\t_\tDefinite=Def\t4\tdet\t4:det\t_\n"
    "4\tmar\tmar\tNOUN\t_\t_\t1\tobl\t1:obl:a\t_\n"
    "5\ty\ty\tCCONJ\t_\t_\t6\tcc\t7.1:cc\t_\n"
    "6\ttú\ttú\tPRON\t_\t_\t1\tconj\t7.1:nsubj\tNote=a b|SpaceAfter=No\n"
    "7\tno\tno\tADV\t_\t_\t6\torphan\t7.1:advmod\tSpaceAfter=No\n"
    "7.1\tvas\tir\tVERB\t_\t_\t_\t_\t1:conj\tCopyOf=1\n"
    "8\t.\t.\tPUNCT\t_\t_\t1\tpunct\t1:punct\t_\n"
    "\n"
)
"""A sentence with a multiword range, an empty node, enhanced dependencies and MISC."""


def lines_of(heads: list[str]) -> list[str]:
    """CoNLL-U lines of words with these heads."""
    return [f"{i}\tw{i}\t_\tNOUN\t_\t_\t{head}\tdep\t_\t_" for i, head in enumerate(heads, start=1)]


def text_of(*sentences: list[str]) -> str:
    """CoNLL-U of several sentences, each given as its heads."""
    return "".join("\n".join(lines_of(heads)) + "\n\n" for heads in sentences)


def sentence_of(heads: list[int]) -> Sentence:
    """A sentence with these heads."""
    return Sentence.from_words([f"w{i}" for i in range(len(heads))], heads=heads, labels=["dep"] * len(heads))
