"""Built-in tables of well-known tag sets: the universal tag of each of their tags.

Each line of a table has a universal tag and then the tags that map to it. Some tag sets append features
to the tag (``NN|UTR|SIN`` in SUC): for these, tables list the part before the separator.

A tag that corresponds to several universal tags gets the most frequent one: ``IN`` in the Penn Treebank is ``ADP``
although it covers subordinating conjunctions, and its verbs are ``VERB`` although some are auxiliaries.
"""

from collections.abc import Mapping
from dataclasses import dataclass

COVERED = 0.98
"""The minimum share of a treebank's words whose tags must be in a table for the table to be used."""


@dataclass(frozen=True)
class TagSet:
    """A tag set, and the universal tags of its tags.

    Parameters
    ----------
    name : str
        The name for messages.
    universal : mapping of str to str
        The universal tag of each tag.
    separator : str
        The separator between a tag and its features; empty if tags have none.
    """

    name: str
    universal: Mapping[str, str]
    separator: str = ""

    def find(self, tag: str) -> str | None:
        """Return the universal tag of a tag, or None for a tag that is not in the set."""
        if tag not in self.universal and self.separator:
            tag = tag.split(self.separator)[0]
        return self.universal.get(tag)


def _tag_set(name: str, table: str, *, separator: str = "") -> TagSet:
    lines = (line.split() for line in table.strip().splitlines())
    return TagSet(name, {tag: universal for universal, *tags in lines for tag in tags}, separator)


PENN = _tag_set(
    "Penn Treebank English",
    """
    ADJ    JJ JJR JJS
    ADP    IN RP
    ADV    RB RBR RBS WRB
    AUX    MD
    CCONJ  CC
    DET    DT PDT
    INTJ   UH
    NOUN   NN NNS
    NUM    CD
    PART   TO POS
    PRON   PRP PRP$ EX WP WP$ WDT
    PROPN  NNP NNPS ADD
    PUNCT  . , : `` '' " ( ) -LRB- -RRB- -LSB- -RSB- -LCB- -RCB- HYPH NFP
    SYM    SYM $ #
    VERB   VB VBD VBG VBN VBP VBZ
    X      FW GW AFX LS XX
    """,
)

CHINESE_GSD = _tag_set(
    "Chinese-GSD",
    """
    ADJ    JJ JJR JJS
    ADP    IN
    ADV    RB RBR RBS WRB
    AUX    MD
    CCONJ  CC
    DET    DT PDT
    INTJ   UH
    NOUN   NN NNB
    NUM    CD
    PART   DEC DEV AS SFN SFV SFA PFA PFN
    PRON   PRP PRD WP
    PROPN  NNP
    PUNCT  . , : ; ? ! / ... `` '' " ( ) -LRB- -RRB- EC HYPH
    SYM    SYM $ ADD
    VERB   VV VC BB VERB
    X      FW LS XX
    """,
)

PENN_CHINESE = _tag_set(
    "Penn Chinese Treebank",
    """
    ADJ    JJ
    ADP    P BA LC
    ADV    AD
    AUX    LB SB
    CCONJ  CC
    DET    DT
    INTJ   IJ
    NOUN   NN NT M
    NUM    CD OD
    PART   AS DEC DEG DER DEV ETC MSP SP
    PRON   PN
    PROPN  NR
    PUNCT  PU
    SCONJ  CS
    VERB   VV VA VC VE
    X      FW ON URL X EM IC NOI
    """,
)

STTS = _tag_set(
    "STTS (German)",
    """
    ADJ    ADJA ADJD
    ADP    APPR APPRART APPO APZR
    ADV    ADV PAV PROAV PWAV
    AUX    VAFIN VAIMP VAINF VAPP VMFIN VMINF VMPP
    CCONJ  KON
    DET    ART PDAT PIAT PIDAT PPOSAT PRELAT PWAT
    INTJ   ITJ
    NOUN   NN
    NUM    CARD
    PART   PTKZU PTKNEG PTKVZ PTKANT PTKA
    PRON   PDS PIS PPER PPOSS PRELS PRF PWS
    PROPN  NE
    PUNCT  $, $. $(
    SCONJ  KOKOM KOUI KOUS
    VERB   VVFIN VVIMP VVINF VVIZU VVPP
    X      FM SGML SPELL TRUNC XY
    """,
)

SUC = _tag_set(
    "SUC (Swedish)",
    """
    ADJ    JJ PC RO
    ADP    PP PL
    ADV    AB HA
    CCONJ  KN
    DET    DT HD PS HS
    INTJ   IN
    NOUN   NN
    NUM    RG
    PART   IE
    PRON   PN HP
    PROPN  PM
    PUNCT  MAD MID PAD
    SCONJ  SN
    VERB   VB
    X      UO
    """,
    separator="|",
)

FRENCH = _tag_set(
    "French Treebank",
    """
    ADJ    ADJ ADJWH
    ADP    P P+D P+PRO
    ADV    ADV ADVWH
    CCONJ  CC
    DET    DET DETWH
    INTJ   I
    NOUN   NC
    PRON   CLO CLR CLS PRO PROREL PROWH
    PROPN  NPP
    PUNCT  PONCT
    SCONJ  CS
    VERB   V VIMP VINF VPP VPR VS
    X      ET PREF
    """,
)

OLDER_UNIVERSAL = _tag_set(
    "the universal tags of 2012",
    """
    ADJ    ADJ
    ADP    ADP
    ADV    ADV
    CCONJ  CONJ
    DET    DET
    NOUN   NOUN
    NUM    NUM
    PART   PRT
    PRON   PRON
    PUNCT  .
    VERB   VERB
    X      X
    """,
)

TAG_SETS = (OLDER_UNIVERSAL, PENN, CHINESE_GSD, PENN_CHINESE, STTS, SUC, FRENCH)
"""The built-in tag sets."""


def find_tag_set(counts: Mapping[str, int]) -> TagSet | None:
    """Return the tag set that covers most words of a treebank, or None if none covers nearly all of them.

    Parameters
    ----------
    counts : mapping of str to int
        The number of words with each tag.
    """
    words = sum(counts.values())
    covered = [sum(count for tag, count in counts.items() if tag_set.find(tag)) for tag_set in TAG_SETS]
    return TAG_SETS[covered.index(max(covered))] if words and max(covered) >= COVERED * words else None
