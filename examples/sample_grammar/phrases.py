"""Noun phrases, prepositional phrases, adjectives and adverbs."""

import random
from collections.abc import Sequence
from typing import TypeVar

from sample_grammar import words as lexicon
from sample_grammar.words import Word, noun, verb

Choice = TypeVar("Choice")


class Phrases:
    """Draws phrases; the ones with a `depth` have fewer phrases inside them the smaller it is."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def chance(self, probability: float) -> bool:
        """Be true so often."""
        return self.random.random() < probability

    def choose(self, options: Sequence[Choice]) -> Choice:
        """Draw one of `options`."""
        return self.random.choice(options)

    def subject(self) -> tuple[Word, bool]:
        """Someone who does something, and whether it is more than one."""
        kind = self.random.random()
        if kind < 0.2:
            form, _, _, feats = self.choose(lexicon.PRONOUNS)
            word = Word(form, form, "PRON", "PRP", f"Case=Nom|{feats}|PronType=Prs", "nsubj")
            return word, "Plur" in feats
        if kind < 0.4:
            return self.name().as_("nsubj"), False
        head, plural = self.noun_phrase([*lexicon.PEOPLE, *lexicon.ANIMALS])
        if kind < 0.5:
            other = self.name() if self.chance(0.3) else self.noun_phrase(lexicon.PEOPLE, depth=0)[0]
            self.coordinate(head, other)
            plural = True
        return head.as_("nsubj"), plural

    def object_phrase(self) -> Word:
        """Someone or something that something is done to."""
        if self.chance(0.15):
            nominative, form, _, feats = self.choose(lexicon.PRONOUNS)
            return Word(form, nominative, "PRON", "PRP", f"Case=Acc|{feats}|PronType=Prs")
        if self.chance(0.12):
            return self.name()
        head, _ = self.noun_phrase([*lexicon.THINGS, *lexicon.ANIMALS, *lexicon.PEOPLE])
        if self.chance(0.12):
            self.coordinate(head, self.noun_phrase(lexicon.THINGS, depth=0)[0])
        return head

    def person(self) -> Word:
        """A name or a person's trade."""
        return self.name() if self.chance(0.4) else self.noun_phrase(lexicon.PEOPLE, depth=0)[0]

    def name(self) -> Word:
        """Somebody's name."""
        form = self.choose(lexicon.NAMES)
        return Word(form, form, "PROPN", "NNP", "Number=Sing")

    def noun_phrase(self, nouns: Sequence[str], *, definite: bool = True, depth: int = 2) -> tuple[Word, bool]:
        """A noun with what belongs to it, and whether it is plural."""
        plural = self.chance(0.25)
        head = noun(self.choose(nouns), plural=plural)
        head.before = self.determiners(plural, definite=definite)
        if self.chance(0.35):
            head.before.append(self.adjective().as_("amod"))
        if self.chance(0.07):
            head.before.append(noun(self.choose(lexicon.COMPOUNDS), plural=False).as_("compound"))
        if depth and self.chance(0.22):
            inside, _ = self.noun_phrase([*lexicon.PLACES, *lexicon.THINGS], depth=depth - 1)
            head.after.append(self.marked(inside, self.choose(lexicon.NOUN_PREPOSITIONS)).as_("nmod"))
        elif depth and self.chance(0.12):
            head.after.append(self.relative_clause(plural))
        return head, plural

    def determiners(self, plural: bool, *, definite: bool) -> list[Word]:
        """An article, a number, a possessive, or nothing."""
        if plural and self.chance(0.3):
            number = self.choose(lexicon.NUMBERS)
            return [Word(number, number, "NUM", "CD", "NumForm=Word|NumType=Card", "nummod")]
        if definite and self.chance(0.15):
            nominative, _, form, feats = self.choose(lexicon.PRONOUNS)
            return [Word(form, nominative, "PRON", "PRP$", f"{feats}|Poss=Yes|PronType=Prs", "nmod:poss")]
        if definite and self.chance(0.08):
            owner = self.name().as_("nmod:poss")
            owner.after = [Word("'s", "'s", "PART", "POS", relation="case")]
            return [owner]
        if definite and self.chance(0.65):
            return [Word("the", "the", "DET", "DT", "Definite=Def|PronType=Art", "det")]
        return [] if plural else [Word("a", "a", "DET", "DT", "Definite=Ind|PronType=Art", "det")]

    def adjective(self) -> Word:
        """An adjective, perhaps a very good one."""
        form = self.choose(lexicon.ADJECTIVES)
        word = Word(form, form, "ADJ", "JJ", "Degree=Pos")
        if self.chance(0.15):
            word.before = [self.adverb(lexicon.DEGREE)]
        return word

    def relative_clause(self, plural: bool) -> Word:
        """A clause about the noun before it: its subject or its object."""
        entry = self.choose(lexicon.TRANSITIVE)
        pronoun = Word("that", "that", "PRON", "WDT", "PronType=Rel")
        if self.chance(0.5):
            head = verb(entry, self.choose(["VBD", "VBP" if plural else "VBZ"]))
            head.before = [pronoun.as_("nsubj")]
            head.after = [self.noun_phrase(lexicon.THINGS, depth=0)[0].as_("obj")]
        else:
            head = verb(entry, "VBD")
            head.before = [pronoun.as_("obj"), self.person().as_("nsubj")]
        return head.as_("acl:relcl")

    def adverbials(self, *, at_least: bool = False) -> list[Word]:
        """Where, how and when: none to three of them."""
        chosen = []
        if at_least or self.chance(0.35):
            chosen.append(self.place_phrase().as_("obl"))
        if self.chance(0.15):
            chosen.append(self.adverb(lexicon.MANNER))
        if self.chance(0.15):
            chosen.append(self.adverb(lexicon.WHEN))
        elif self.chance(0.1):
            time = noun(self.choose(lexicon.TIMES), plural=False)
            time.before = [Word("every", "every", "DET", "DT", "PronType=Tot", "det")]
            chosen.append(time.as_("obl:tmod"))
        return chosen

    def place_phrase(self) -> Word:
        """Somewhere."""
        place, _ = self.noun_phrase([*lexicon.PLACES, *lexicon.THINGS], depth=1)
        return self.marked(place, self.choose(lexicon.VERB_PREPOSITIONS))

    def adverb(self, forms: Sequence[str]) -> Word:
        """One of these adverbs."""
        form = self.choose(forms)
        return Word(form, form, "ADV", "RB", relation="advmod")

    def marked(self, head: Word, preposition: str) -> Word:
        """Put a preposition in front of a phrase."""
        head.before.insert(0, Word(preposition, preposition, "ADP", "IN", relation="case"))
        return head

    def conjunction(self, forms: Sequence[str] = ("and", "or")) -> Word:
        """A coordinating conjunction."""
        form = self.choose(forms)
        return Word(form, form, "CCONJ", "CC", relation="cc")

    def coordinate(self, first: Word, second: Word) -> None:
        """Join two phrases; the first is the head."""
        second.before.insert(0, self.conjunction())
        first.after.append(second.as_("conj"))
