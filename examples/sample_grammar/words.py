"""The words of the sample treebank, and how they inflect."""

from dataclasses import dataclass, field, replace


def listed(words: str) -> list[str]:
    """Return the words of a line; behind a slash stand irregular forms."""
    return words.split()


PEOPLE = listed(
    "captain gardener baker teacher sailor pilot farmer doctor painter singer neighbour cousin clerk judge "
    "shepherd tailor guest thief child/children woman/women man/men aunt uncle editor"
)
ANIMALS = listed("dog cat fox/foxes horse owl goat donkey heron rabbit mouse/mice goose/geese squirrel")
THINGS = listed(
    "letter lamp boat basket map kettle ladder window violin box/boxes key coat bottle candle wheel painting "
    "parcel knife/knives umbrella apple egg mirror bell rope engine"
)
PLACES = listed(
    "harbour kitchen valley market station library/libraries attic forest island mill garden bridge village "
    "cellar tower meadow river orchard"
)
TIMES = listed("morning evening week summer winter afternoon")
NAMES = listed("Ada Boris Clara Dmitri Edith Farid Greta Hugo Ines Jonas Kira Leo")
COMPOUNDS = listed("garden river village kitchen harbour winter iron market")

ADJECTIVES = listed(
    "old young small tall red green quiet angry empty heavy broken clever lazy narrow bright dusty kind proud "
    "strange wooden"
)
MANNER = listed("slowly quietly carefully happily badly eagerly calmly suddenly")
WHEN = listed("yesterday often today soon again tonight")
DEGREE = listed("very quite rather too")

TRANSITIVE = listed(
    "carry paint repair follow find/found/found see/saw/seen draw/drew/drawn hide/hid/hidden admire clean "
    "watch steal/stole/stolen bring/brought/brought open polish sell/sold/sold chase drop"
)
INTRANSITIVE = listed(
    "sleep/slept/slept arrive laugh wait sing/sang/sung swim/swam/swum vanish smile run/ran/run work rest "
    "fall/fell/fallen"
)
GIVING = listed("give/gave/given send/sent/sent show/showed/shown offer lend/lent/lent")
SAYING = listed("say/said/said think/thought/thought know/knew/known believe hear/heard/heard claim")
TRYING = listed("want try begin/began/begun decide hope refuse")
PARTICLES = (("pick", "up"), ("throw/threw/thrown", "away"), ("put/put/put", "down"), ("wake/woke/woken", "up"))
LOOKING = (("look", "at"), ("wait", "for"), ("talk", "about"), ("listen", "to"), ("point", "to"))

NOUN_PREPOSITIONS = listed("with from near of behind beside")
VERB_PREPOSITIONS = listed("in near behind through towards with from beside")
CONJUNCTIONS = listed("because when although while before after if since")
MODALS = listed("will can must should may would")
PRONOUNS = (
    ("he", "him", "his", "Gender=Masc|Number=Sing|Person=3"),
    ("she", "her", "her", "Gender=Fem|Number=Sing|Person=3"),
    ("they", "them", "their", "Number=Plur|Person=3"),
    ("we", "us", "our", "Number=Plur|Person=1"),
)
NUMBERS = listed("two three four five seven twelve")


@dataclass
class Word:
    """A word and the words that stand by it, in order, on either side.

    They hang on it, unless they name another `governor`. A verb's `entry` says how it inflects.
    """

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str = "_"
    relation: str = "root"
    entry: str = ""
    governor: "Word | None" = None
    before: list["Word"] = field(default_factory=list)
    after: list["Word"] = field(default_factory=list)

    def as_(self, relation: str) -> "Word":
        """Return the word with its dependents, in another relation."""
        return replace(self, relation=relation)


def noun(entry: str, *, plural: bool) -> Word:
    """Return a noun in one of its numbers."""
    lemma, _, irregular = entry.partition("/")
    if plural:
        return Word(irregular or f"{lemma}s", lemma, "NOUN", "NNS", "Number=Plur")
    return Word(lemma, lemma, "NOUN", "NN", "Number=Sing")


def verb(entry: str, form: str) -> Word:
    """Return a verb in the form with this tag: VB, VBD, VBG, VBN, VBP or VBZ."""
    lemma = entry.split("/")[0]
    feats = {
        "VB": "VerbForm=Inf",
        "VBD": "Mood=Ind|Tense=Past|VerbForm=Fin",
        "VBG": "Tense=Pres|VerbForm=Part",
        "VBN": "Tense=Past|VerbForm=Part",
        "VBP": "Mood=Ind|Tense=Pres|VerbForm=Fin",
        "VBZ": "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin",
    }[form]
    return Word(_inflected(entry, form), lemma, "VERB", form, feats, entry=entry)


def _inflected(entry: str, form: str) -> str:
    lemma, *irregular = entry.split("/")
    consonant_y = lemma.endswith("y") and lemma[-2] not in "aeiou"
    stem = lemma + lemma[-1] if lemma in ("drop", "swim", "run", "put", "begin") else lemma
    if form == "VBZ":
        if consonant_y:
            return f"{lemma[:-1]}ies"
        return f"{lemma}es" if lemma.endswith(("sh", "ch")) else f"{lemma}s"
    if form == "VBG":
        return f"{lemma[:-1]}ing" if lemma.endswith("e") and lemma != "see" else f"{stem}ing"
    if form in ("VBD", "VBN"):
        if irregular:
            return irregular[form == "VBN"]
        if consonant_y:
            return f"{lemma[:-1]}ied"
        return f"{lemma}d" if lemma.endswith("e") else f"{stem}ed"
    return lemma


def punctuation(mark: str) -> Word:
    """Return a punctuation mark."""
    return Word(mark, mark, "PUNCT", "," if mark == "," else ".", relation="punct")
