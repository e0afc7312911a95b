"""A few words, and machines for all transition systems that parse them."""

from headway.corpus import Sentence
from headway.encoding import Encoder
from headway.incremental.beam import Machine
from headway.incremental.systems import find_system
from headway.incremental.templates import TEMPLATES
from headway.incremental.transitions import TransitionSettings, make_machine

FORMS, TAGS = ("a", "dog", "barks", "at", "cats", "a"), ("DET", "NOUN", "VERB", "ADP", "NOUN", "PUNCT")
LABELS = 2


def sentence(words: int) -> Sentence:
    return Sentence.from_words(list(FORMS[:words]), lemmas=list(FORMS[:words]), upos=list(TAGS[:words]))


ENCODER = Encoder.fit([sentence(6), sentence(6)])


def machine(name: str, *, labels: int = LABELS) -> Machine:
    transitions = find_system(name).transitions
    actions = [[n, label] for n, some in enumerate(transitions) for label in range(labels if some.labelled else 1)]
    chosen = TransitionSettings(name, TEMPLATES[name], actions, 0)
    return make_machine(chosen, atoms=ENCODER.names, constant=ENCODER.constant_atoms(), labels=labels)
