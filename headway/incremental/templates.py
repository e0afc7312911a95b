"""The feature templates of states, after Zhang and Nivre (2011).

Roles are words: ``s`` the top of the stack, ``t`` and ``u`` the two below it, ``n`` the front of the buffer (``n+1``
and ``n+2`` the words after it). ``sl`` and ``sr`` are the outermost children of ``s`` on each side, ``slb`` and ``srb``
those attached before them; ``tl`` …, ``nl`` … are children of ``t`` and ``n``; ``sh`` is the head of ``s``, if it has
one.

``state.…`` is about the state: the ``distance`` between s and t (or s and n), numbers of children (``sleft``), labels
of children (``sl_label``) and of s itself (``s_label``), and sets of the labels of all children on a side (``sl_set``).

Zhang and Nivre (2011), "Transition-based dependency parsing with rich non-local features", Tables 1 and 2. Templates
with XPOS, FEATS and lemmas are added.
"""

_WORDS = """
{0}.form {0}.upos
{0}.form
{0}.upos
{0}.upos {0}.xpos
{0}.upos {0}.feats
{0}.lemma
"""

_CHILD = """
{0}.form
{0}.upos
{0}.lemma state.{0}_label
state.{0}_label
"""

_VALENCY = """
{0}.form state.{0}left
{0}.upos state.{0}left
{0}.form state.{0}l_set
{0}.upos state.{0}l_set
"""

_RIGHT_VALENCY = """
{0}.form state.{0}right
{0}.upos state.{0}right
{0}.form state.{0}r_set
{0}.upos state.{0}r_set
"""

_DISTANCE = """
{0}.form state.distance
{0}.upos state.distance
"""

_PAIR = """
{0}.form {0}.upos {1}.form {1}.upos
{0}.form {0}.upos {1}.form
{0}.form {1}.form {1}.upos
{0}.form {0}.upos {1}.upos
{0}.upos {1}.form {1}.upos
{0}.form {1}.form
{0}.lemma {1}.lemma
{0}.upos {1}.upos
{0}.xpos {1}.xpos
{0}.feats {1}.feats
{0}.form {1}.form state.distance
{0}.upos {1}.upos state.distance
"""

_STACK_TEMPLATES = """
u.upos
n.form n+1.form
n.upos n+1.upos
s.upos n.upos
s.xpos n.xpos
s.form n.form
s.form n.upos
s.upos n.form
t.upos n.upos
t.form n.upos
t.upos n.form
s.upos t.upos n.upos
s.xpos t.xpos n.xpos
s.form t.upos n.upos
s.upos t.form n.upos
s.upos t.upos n.form
s.upos t.upos n.upos n+1.upos
s.upos n.upos n+1.upos
t.upos s.upos u.upos
t.upos s.upos sl.upos
t.upos s.upos sr.upos
t.upos s.upos tl.upos
t.upos s.upos tr.upos
t.upos s.upos slb.upos
t.upos s.upos srb.upos
t.upos s.upos tlb.upos
t.upos s.upos trb.upos
t.upos s.form tr.upos
t.upos s.form sl.upos
t.form s.upos tr.upos
t.form s.upos sl.upos
s.upos sl.upos slb.upos
s.upos sr.upos srb.upos
t.upos tl.upos tlb.upos
t.upos tr.upos trb.upos
s.upos t.upos sr.lemma
s.upos t.upos sl.lemma
s.upos t.upos tr.lemma
s.upos t.upos state.sl_label
s.upos t.upos state.tr_label
s.upos t.upos state.sr_label
s.upos t.upos state.tl_label
s.upos t.upos s+1.upos
s.upos t.upos s-1.upos
s.upos t.upos t+1.upos
s.upos t.upos t-1.upos
"""

_FRONT_TEMPLATES = """
n.form n+1.form
n.upos n+1.upos
n.upos n+1.upos n+2.upos
s.upos n.upos n+1.upos
sh.upos s.upos n.upos
shb.upos sh.upos s.upos
s.upos sl.upos n.upos
s.upos sr.upos n.upos
s.upos n.upos nl.upos
s.upos sl.upos slb.upos
s.upos sr.upos srb.upos
n.upos nl.upos nlb.upos
t.upos s.upos n.upos
t.upos s.upos
s.upos n.upos state.nl_label
s.upos n.upos state.sr_label
s.upos n.upos s-1.upos
s.upos n.upos s+1.upos
s.upos n.upos n-1.upos
state.s_label
"""


def _fill(*parts: tuple[str, str]) -> str:
    return "".join(text.format(*roles.split()) for text, roles in parts)


STACK_TEMPLATES = (
    _fill(
        *((_WORDS, role) for role in ("s", "t", "n", "n+1")),
        (_DISTANCE, "s"), (_DISTANCE, "t"), (_PAIR, "s t"),
        *((_CHILD, role) for role in ("sl", "sr", "slb", "srb", "tl", "tr", "tlb", "trb")),
        (_VALENCY, "s"), (_VALENCY, "t"), (_RIGHT_VALENCY, "s"), (_RIGHT_VALENCY, "t"),
    )
    + _STACK_TEMPLATES
)  # fmt: skip
"""The templates of systems that make arcs between the two words on top of the stack."""

FRONT_TEMPLATES = (
    _fill(
        *((_WORDS, role) for role in ("s", "t", "n", "n+1", "n+2")),
        (_DISTANCE, "s"), (_DISTANCE, "n"), (_PAIR, "s n"), (_PAIR, "t s"),
        *((_CHILD, role) for role in ("sl", "sr", "slb", "srb", "nl", "nlb")),
        (_VALENCY, "s"), (_VALENCY, "n"), (_RIGHT_VALENCY, "s"),
    )
    + _FRONT_TEMPLATES
)  # fmt: skip
"""The templates of systems that also make arcs between the top of the stack and the front of the buffer."""

TEMPLATES = {
    "arc-standard": STACK_TEMPLATES,
    "swap": STACK_TEMPLATES,
    "arc-hybrid": FRONT_TEMPLATES,
    "arc-eager": FRONT_TEMPLATES,
}
"""The templates of each system."""
