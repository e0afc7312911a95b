import pytest

from headway.errors import UsageError
from headway.features.arc_templates import ARC_TEMPLATES, CLAUSE_ARC_TEMPLATES
from headway.features.label import LABEL_TEMPLATES
from headway.features.templates import Template, Term, read_templates
from headway.features.words import CLAUSE_WORD_TEMPLATES, WORD_TEMPLATES

ATOMS = ("form", "upos", "lemma_suffix2", "morph1", "morph2")


def read(text: str, constant: tuple[str, ...] = (), atoms: tuple[str, ...] = ATOMS) -> list[str]:
    return [str(one) for one in read_templates(text, roles=("h", "m"), atoms=atoms, constant=constant)]


def test_terms_roles_and_offsets() -> None:
    [template] = read_templates("m+12.form h-1.upos h.lemma_suffix2", roles=("h", "m"), atoms=ATOMS)
    assert template == Template((Term("h", -1, "upos"), Term("h", 0, "lemma_suffix2"), Term("m", 12, "form")))
    assert str(template) == "h-1.upos h.lemma_suffix2 m+12.form"
    assert template.roles == {"h", "m"}
    assert template.between is None


def test_blank_lines_and_comments() -> None:
    assert read("# all\n\n   \nh.form  # the word\n#h.upos\n  m.form\n") == ["h.form", "m.form"]


def test_the_same_template_is_kept_once_in_whatever_order_it_is_written() -> None:
    assert read("m.upos h.upos\nh.upos m.upos\nh.form") == ["h.upos m.upos", "h.form"]


def test_star_stands_for_every_attribute() -> None:
    assert read("h.morph* m.form") == ["h.morph1 m.form", "h.morph2 m.form"]
    assert read("h.morph* m.morph*") == [f"h.morph{a} m.morph{b}" for a in (1, 2) for b in (1, 2)]


def test_equals_stands_for_the_same_attribute_everywhere() -> None:
    assert read("h.morph= m.morph=") == ["h.morph1 m.morph1", "h.morph2 m.morph2"]
    assert read("h.morph= m.morph= m.upos") == ["h.morph1 m.morph1 m.upos", "h.morph2 m.morph2 m.upos"]


def test_a_treebank_without_morphology_has_no_such_templates() -> None:
    plain = ("form", "upos")
    assert read("h.morph* m.form\nh.upos\nh.morph= m.morph=", atoms=plain) == ["h.upos"]


def test_both_wild_cards_in_one_line() -> None:
    assert sorted(read("h.morph= m.morph= m+1.morph*")) == sorted(
        f"h.morph{same} m.morph{same} m+1.morph{free}" for same in (1, 2) for free in (1, 2)
    )


def test_between() -> None:
    [template] = read_templates("h.upos m.upos between.verbs", roles=("h", "m"), atoms=ATOMS)
    assert template.between == "verbs"
    assert template.roles == {"h", "m", "between"}


def test_constant_atoms_are_dropped_and_what_is_then_empty_or_repeated_too() -> None:
    text = "h.form\nh.upos\nh.form m.upos\nm.upos h.upos\nm.upos\nh.form between.tags"
    assert read(text, constant=("form",)) == ["h.upos", "m.upos", "h.upos m.upos"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("h.upos m", "template 'h.upos m': cannot read 'm'; write role.atom, as in h+1.upos"),
        ("h.upos h:form", "cannot read 'h:form'"),
        ("H.upos", "cannot read 'H.upos'"),
        ("h+.upos", "cannot read 'h+.upos'"),
        ("g.upos", "template 'g.upos': no role 'g'; this part type has h, m"),
        ("h.upo", "template 'h.upo': no atom 'upo'"),
        ("h.morph3", "template 'h.morph3': no atom 'morph3'"),
        ("h.upos*", "template 'h.upos*': only morph takes * or ="),
        ("h.form=", "only morph takes * or ="),
        ("h.upos between.nouns", "between has tags, verbs, punctuation, coordinators, not nouns"),
        ("h.upos between.tags*", "not tags*"),
    ],
)
def test_errors_say_what_is_wrong_with_which_line(line: str, reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(f"h.upos\n  {line}  # comment\n")
    assert reason in str(caught.value)
    assert str(caught.value).startswith("template ")


@pytest.mark.parametrize(
    "text", [ARC_TEMPLATES + CLAUSE_ARC_TEMPLATES, WORD_TEMPLATES + CLAUSE_WORD_TEMPLATES, LABEL_TEMPLATES]
)
def test_template_lists_have_no_duplicates(text: str) -> None:
    lines = [" ".join(sorted(line.split())) for line in text.splitlines() if line and not line.startswith("#")]
    assert len(lines) == len(set(lines))
