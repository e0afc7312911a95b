"""Find the universal tags of a treebank whose coarse tags are not universal.

Tags of a well-known tag set are looked up in its table (`tag_sets`). For other tag sets, punctuation and numbers are
recognised by their characters, all other tags by the relations of gold trees (`tag_relations`) or, if relations have
unknown names, by the shapes of the trees (`tag_shapes`); if all this fails, by the tag's name (`tag_map`). Only
distinctions that features need are made: proper nouns are NOUN like others.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from headway.corpus import Sentence
from headway.encoding.strings import NONE
from headway.encoding.tag_map import UNIVERSAL_TAGS, universal_tag
from headway.encoding.tag_profiles import TagProfile, is_symbol, pooled
from headway.encoding.tag_relations import relation_votes
from headway.encoding.tag_sets import find_tag_set
from headway.encoding.tag_shapes import shape_tags

UNIVERSAL = 0.95
"""If at least this share of words has universal tags, the tag set counts as universal."""

_SHOWN = 6
_ENOUGH_WORDS = 10
_ENOUGH_VOTES = 0.5
_CONJUNCTION = "CONJ"  # in Universal Dependencies 1


@dataclass(frozen=True)
class FoundTags:
    """A tag map and its source.

    Parameters
    ----------
    mapping : mapping of str to str
        The universal tag of each coarse tag of the treebank.
    source : str
        A description for the user.
    """

    mapping: Mapping[str, str]
    source: str

    def __str__(self) -> str:
        """Return, for example, ``a map derived from the relations of the treebank (CCONJ: KN; ADP: PP PL)``."""
        classes = (f"{universal}: {self._tags(universal)}" for universal in ("CCONJ", "ADP"))
        return f"{self.source} ({'; '.join(classes)})"

    def _tags(self, universal: str) -> str:
        tags = [tag for tag in self.mapping if self.mapping[tag] == universal]
        return " ".join(tags[:_SHOWN]) + (f" and {len(tags) - _SHOWN} more" if len(tags) > _SHOWN else "") or "none"


def find_tag_map(sentences: Sequence[Sentence]) -> FoundTags | None:
    """Return a tag map for a treebank, or None if its tags are universal or empty.

    Parameters
    ----------
    sentences : sequence of Sentence
        Sentences with gold heads and labels.
    """
    counts = Counter(tag for sentence in sentences for tag in sentence.upos if tag != NONE)
    universal = sum(counts[tag] for tag in (*UNIVERSAL_TAGS, _CONJUNCTION))
    if universal >= UNIVERSAL * counts.total():
        return None
    tag_set = find_tag_set(counts)
    if tag_set is None:
        found = derive_tag_map(sentences)
        kept = {tag: tag for tag in UNIVERSAL_TAGS if tag in counts} if 2 * universal > counts.total() else {}
        return FoundTags({**found.mapping, **kept}, found.source)
    mapping = {tag: tag_set.find(tag) or "" for tag, _ in counts.most_common()}
    if not all(mapping.values()):
        derived = derive_tag_map(sentences).mapping
        mapping = {tag: listed or derived[tag] for tag, listed in mapping.items()}
    return FoundTags(mapping, f"the built-in map for {tag_set.name}")


def derive_tag_map(sentences: Sequence[Sentence]) -> FoundTags:
    """Return the universal tag of each tag, derived from its words and their places in gold trees.

    Parameters
    ----------
    sentences : sequence of Sentence
        Sentences with gold heads and labels.
    """
    profiles = _count(sentences)
    whole = TagProfile()
    for profile in profiles.values():
        whole.add(profile)
    tags: Mapping[str, str | None]
    if whole.votes.total() >= _ENOUGH_VOTES * whole.words:
        tags = {tag: _voted(profile) for tag, profile in pooled(profiles, enough=_ENOUGH_WORDS).items()}
        source = "a map derived from the relations of the treebank"
    else:
        closed = {tag for tag, profile in profiles.items() if profile.is_closed()}
        tags, source = shape_tags(sentences, closed=closed), "a map derived from the trees, whose relations are unknown"
    frequent = sorted(profiles, key=lambda tag: -profiles[tag].words)
    return FoundTags(
        {tag: _by_characters(profiles[tag]) or tags.get(tag) or universal_tag(tag, {}) for tag in frequent}, source
    )


def _count(sentences: Iterable[Sentence]) -> dict[str, TagProfile]:
    profiles: dict[str, TagProfile] = defaultdict(TagProfile)
    for sentence in sentences:
        columns = zip(sentence.upos, sentence.forms, sentence.heads, relation_votes(sentence), strict=True)
        for place, (tag, form, head, vote) in enumerate(columns, start=1):
            if tag == NONE:
                continue
            profile = profiles[tag]
            profile.forms[form.lower()] += 1
            profile.before_head += 0 < head - place <= 2
            if vote is not None:
                profile.votes[vote] += 1
    return profiles


def _by_characters(profile: TagProfile) -> str | None:
    if profile.is_numbers():
        return "NUM"
    if not profile.is_marks():
        return None
    votes = profile.votes
    symbols = profile.share(filter(is_symbol, profile.forms)) > 0.5
    return "SYM" if symbols or votes["PUNCT"] < votes.total() - votes["PUNCT"] else "PUNCT"


def _voted(profile: TagProfile) -> str | None:
    """Return the universal tag with most votes; verbs and auxiliaries are pooled, and so are nouns and pronouns."""
    votes = profile.votes.copy()
    nouns, verbs = votes.pop("NOUN", 0) + votes.pop("PRON", 0), votes.pop("VERB", 0) + votes.pop("AUX", 0)
    votes.update(NOUN=nouns, VERB=verbs)
    winner, count = votes.most_common(1)[0]
    if count == 0:
        return None
    if winner == "VERB":
        return max("VERB", "AUX", key=lambda tag: profile.votes[tag])
    if winner == "NOUN":
        return "PRON" if profile.is_closed() else "NOUN"
    infinitive = winner == "SCONJ" and profile.is_closed(most=1) and profile.is_before_head()
    return "PART" if infinitive else winner
