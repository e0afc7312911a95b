"""Verbs with what hangs on them: objects, adverbials, auxiliaries."""

from sample_grammar import words as lexicon
from sample_grammar.phrases import Phrases
from sample_grammar.words import Word, verb

FINITE_BE = {"VBD": ("was", "were"), "VBP": ("is", "are")}


class Verbs(Phrases):
    """Draws verb phrases."""

    def frame(self) -> Word:
        """A bare verb with its objects and adverbials."""
        makers = [self.intransitive, self.transitive, self.giving, self.trying, self.particle, self.looking]
        [make] = self.random.choices(makers, weights=[5, 8, 3, 3, 2, 2])
        head = make()
        if self.chance(0.15):
            head.before.append(self.adverb(lexicon.MANNER))
        return head

    def intransitive(self) -> Word:
        """Someone sleeps."""
        head = verb(self.choose(lexicon.INTRANSITIVE), "VB")
        head.after = self.adverbials(at_least=self.chance(0.5))
        return head

    def transitive(self) -> Word:
        """Someone paints something."""
        head = verb(self.choose(lexicon.TRANSITIVE), "VB")
        head.after = [self.object_phrase().as_("obj"), *self.adverbials()]
        return head

    def giving(self) -> Word:
        """Someone gives someone something, or something to someone."""
        head = verb(self.choose(lexicon.GIVING), "VB")
        gift, receiver = self.noun_phrase(lexicon.THINGS)[0].as_("obj"), self.person()
        if self.chance(0.5):
            head.after = [receiver.as_("iobj"), gift]
        else:
            head.after = [gift, self.marked(receiver, "to").as_("obl")]
        return head

    def trying(self) -> Word:
        """Someone wants to do something."""
        head = verb(self.choose(lexicon.TRYING), "VB")
        inner = self.choose([self.intransitive, self.transitive])().as_("xcomp")
        inner.before.insert(0, Word("to", "to", "PART", "TO", relation="mark"))
        head.after = [inner]
        return head

    def particle(self) -> Word:
        """Someone picks something up, or picks up something."""
        entry, particle = self.choose(lexicon.PARTICLES)
        head = verb(entry, "VB")
        up = Word(particle, particle, "ADP", "RP", relation="compound:prt")
        thing = self.noun_phrase(lexicon.THINGS, depth=0)[0].as_("obj")
        head.after = self.choose([[up, thing], [thing, up]])
        return head

    def looking(self) -> Word:
        """Someone looks at something."""
        entry, preposition = self.choose(lexicon.LOOKING)
        head = verb(entry, "VB")
        head.after = [self.marked(self.object_phrase(), preposition).as_("obl")]
        return head

    def verb_group(self, head: Word, plural: bool) -> tuple[Word, list[Word]]:
        """Give the bare verb `head` a tense; return it and its auxiliaries."""
        kinds = {"past": 9, "present": 6, "modal": 4, "perfect": 3, "progressive": 3, "negated": 4}
        [kind] = self.random.choices(list(kinds), weights=list(kinds.values()))
        if kind == "past":
            return self.finite(head, "VBD"), []
        if kind == "present":
            return self.finite(head, "VBP" if plural else "VBZ"), []
        if kind == "modal":
            return head, [self.modal(), *([self.negation()] if self.chance(0.25) else [])]
        if kind == "negated":
            return head, [self.do(plural), self.negation()]
        if kind == "perfect":
            form, feats = ("have", "VBP") if plural else ("has", "VBZ")
            return self.finite(head, "VBN"), [Word(form, "have", "AUX", feats, verb("have", feats).feats, "aux")]
        return self.finite(head, "VBG"), [self.be(plural, relation="aux")]

    def finite(self, head: Word, form: str) -> Word:
        """Inflect the bare verb `head`."""
        inflected = verb(head.entry, form)
        head.form, head.xpos, head.feats = inflected.form, inflected.xpos, inflected.feats
        return head

    def be(self, plural: bool, *, relation: str, upos: str = "AUX") -> Word:
        """A finite form of "be"."""
        tag = self.choose(["VBD", "VBP"])
        form = FINITE_BE[tag][plural]
        tag = "VBZ" if form == "is" else tag
        return Word(form, "be", upos, tag, verb("be", tag).feats, relation)

    def do(self, plural: bool) -> Word:
        """A finite form of the auxiliary "do"."""
        form, tag = self.choose([("did", "VBD"), ("do", "VBP") if plural else ("does", "VBZ")])
        return Word(form, "do", "AUX", tag, verb("do", tag).feats, "aux")

    def have(self, plural: bool) -> Word:
        """A finite form of the auxiliary "have"."""
        form, tag = self.choose([("had", "VBD"), ("have", "VBP") if plural else ("has", "VBZ")])
        return Word(form, "have", "AUX", tag, verb("have", tag).feats, "aux")

    def modal(self) -> Word:
        """A modal auxiliary."""
        form = self.choose(lexicon.MODALS)
        return Word(form, form, "AUX", "MD", "VerbForm=Fin", "aux")

    def negation(self) -> Word:
        """The word "not"."""
        return Word("not", "not", "PART", "RB", "Polarity=Neg", "advmod")
