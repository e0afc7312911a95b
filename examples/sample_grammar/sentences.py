"""Whole sentences: statements, questions, commands."""

from collections.abc import Callable

from sample_grammar import words as lexicon
from sample_grammar.verbs import Verbs
from sample_grammar.words import Word, punctuation, verb


class Sentences(Verbs):
    """Draws sentences; one seed, one treebank."""

    def sentence(self) -> Word:
        """Return the root of a sentence."""
        kinds: list[tuple[Callable[[], Word], str, int]] = [
            (self.clause, ".", 30),
            (self.with_subordinate, ".", 18),
            (self.two_clauses, ".", 8),
            (self.copula, ".", 12),
            (self.existential, ".", 5),
            (self.passive, ".", 8),
            (self.reported, ".", 9),
            (self.yes_no_question, "?", 8),
            (self.object_question, "?", 6),
            (self.stranded_question, "?", 4),
            (self.where_question, "?", 5),
            (self.command, "!", 6),
        ]
        [(make, mark, _)] = self.random.choices(kinds, weights=[weight for _, _, weight in kinds])
        root = make()
        root.after.append(punctuation(mark))
        return root

    def clause(self) -> Word:
        """A subject and what it does."""
        subject, plural = self.subject()
        return self.predicate(subject, plural)

    def predicate(self, subject: Word, plural: bool) -> Word:
        """A verb phrase, or two, on a subject."""
        head, auxiliaries = self.verb_group(self.frame(), plural)
        head.before[:0] = [subject, *auxiliaries]
        if self.chance(0.12) and not auxiliaries:
            self.coordinate(head, self.finite(self.frame(), head.xpos))
        return head

    def with_subordinate(self) -> Word:
        """A clause with an adverbial clause, behind it or in front."""
        main, other = self.clause(), self.clause().as_("advcl")
        conjunction = self.choose(lexicon.CONJUNCTIONS)
        other.before.insert(0, Word(conjunction, conjunction, "SCONJ", "IN", relation="mark"))
        if self.chance(0.5):
            main.before[:0] = [other, punctuation(",")]
        else:
            main.after.append(other)
        return main

    def two_clauses(self) -> Word:
        """Two clauses joined by a conjunction."""
        first, second = self.clause(), self.clause().as_("conj")
        second.before[:0] = [punctuation(","), self.conjunction(("and", "but", "so"))]
        first.after.append(second)
        return first

    def copula(self) -> Word:
        """Something is something, or somewhere."""
        subject, plural = self.subject()
        head = self.choose([self.adjective, self.place_phrase, lambda: self.noun_phrase(lexicon.PEOPLE)[0]])()
        be = self.be(plural, relation="cop")
        negation = [self.negation()] if self.chance(0.2) else []
        head.relation = "root"
        head.before[:0] = [subject, be, *negation]
        return head

    def existential(self) -> Word:
        """There is something somewhere."""
        thing, plural = self.noun_phrase([*lexicon.THINGS, *lexicon.ANIMALS], definite=False, depth=1)
        be = self.be(plural, relation="root", upos="VERB")
        be.before = [Word("there", "there", "PRON", "EX", relation="expl")]
        be.after = [thing.as_("nsubj"), self.place_phrase().as_("obl")]
        return be

    def passive(self) -> Word:
        """Something is done, perhaps by someone."""
        subject, plural = self.noun_phrase(lexicon.THINGS)
        head = verb(self.choose(lexicon.TRANSITIVE), "VBN")
        head.feats += "|Voice=Pass"
        head.before = [subject.as_("nsubj:pass"), self.be(plural, relation="aux:pass")]
        if self.chance(0.7):
            head.after.append(self.marked(self.person(), "by").as_("obl:agent"))
        head.after += self.adverbials()
        return head

    def reported(self) -> Word:
        """Someone says that something is so."""
        subject, plural = self.subject()
        head, auxiliaries = self.verb_group(verb(self.choose(lexicon.SAYING), "VB"), plural)
        content = self.choose([self.clause, self.clause, self.copula])().as_("ccomp")
        if self.chance(0.7):
            content.before.insert(0, Word("that", "that", "SCONJ", "IN", relation="mark"))
        head.before[:0] = [subject, *auxiliaries]
        head.after = [content]
        return head

    def yes_no_question(self) -> Word:
        """An auxiliary, a subject, a verb."""
        subject, plural = self.subject()
        return self.inverted(self.frame(), subject, plural)

    def object_question(self) -> Word:
        """What did they do?"""
        subject, plural = self.subject()
        what = Word("what", "what", "PRON", "WP", "PronType=Int", "obj")
        head = self.inverted(verb(self.choose(lexicon.TRANSITIVE), "VB"), subject, plural)
        head.before.insert(0, what)
        head.after += self.adverbials()
        return head

    def stranded_question(self) -> Word:
        """What did they look at? The preposition's arc crosses the verb's."""
        subject, plural = self.subject()
        entry, preposition = self.choose(lexicon.LOOKING)
        who = self.choose(["what", "who"])
        question = Word(who, who, "PRON", "WP", "PronType=Int", "obl")
        head = self.inverted(verb(entry, "VB"), subject, plural)
        head.before.insert(0, question)
        head.after = [Word(preposition, preposition, "ADP", "IN", relation="case", governor=question)]
        return head

    def where_question(self) -> Word:
        """Where did they go?"""
        subject, plural = self.subject()
        adverb = self.choose(["where", "when", "why", "how"])
        head = self.inverted(self.frame(), subject, plural)
        head.before.insert(0, Word(adverb, adverb, "ADV", "WRB", "PronType=Int", "advmod"))
        return head

    def inverted(self, head: Word, subject: Word, plural: bool) -> Word:
        """Put the finite auxiliary in front of the subject."""
        finite = self.choose([self.do(plural), self.modal()])
        head.before[:0] = [finite, subject]
        return head

    def command(self) -> Word:
        """Do it, please."""
        head = self.frame()
        head.feats = "Mood=Imp|VerbForm=Fin"
        if self.chance(0.3):
            head.before[:0] = [Word("do", "do", "AUX", "VB", "Mood=Imp|VerbForm=Fin", "aux"), self.negation()]
        if self.chance(0.25):
            name = self.choose(lexicon.NAMES)
            head.after += [punctuation(","), Word(name, name, "PROPN", "NNP", "Number=Sing", "vocative")]
        return head
