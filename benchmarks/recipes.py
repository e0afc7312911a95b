"""Recipes that only a comparison needs, beside the presets that users choose from."""

from dataclasses import replace

from headway.features.high_order import WHOLE
from headway.features.pruner import PRUNER_TEMPLATES
from headway.presets import PRESETS, Preset

_FIRST, _STANDARD, _FULL = PRESETS["first-order"], PRESETS["standard"], PRESETS["full"]
_SECOND = replace(PRESETS["second-order-tight"], name="second-order", inference="trees")
_MODEL1, _MODEL2, _SIBLING = PRESETS["model1"], PRESETS["model2"], PRESETS["sibling"]


def _only(preset: Preset, *kinds: str) -> dict[str, str]:
    assert preset.part_templates is not None
    return {kind: preset.part_templates[kind] for kind in kinds}


_BASIC = {"basic": 1.0, "beam": 1.0, "swaps": 0.0}
_PAIR = ("sibling", "grandparent")

RECIPES = PRESETS | {
    recipe.name: recipe
    for recipe in (
        replace(_FIRST, name="first-order-pruned", pruner_templates=PRUNER_TEMPLATES),
        replace(_STANDARD, name="standard-without-tensor", word_templates=None),
        replace(_FULL, name="full-without-tensor", word_templates=None),
        replace(_FULL, name="full-triples", triples=True),
        _SECOND,
        replace(_SECOND, name="second-order-sibling", part_templates=_only(_SECOND, "sibling")),
        replace(_SECOND, name="second-order-dual", train_decoder="dual-decomposition"),
        replace(_SECOND, name="second-order-greedy", decoder="greedy"),
        replace(_SECOND, name="second-order-basic", decoder="greedy", decoder_options=_BASIC),
        replace(_STANDARD, name="third-order-greedy", decoder="greedy", word_templates=None),
        replace(_STANDARD, name="standard-greedy", decoder="greedy"),
        replace(_MODEL1, name="model1-tensor", word_templates=_STANDARD.word_templates),
        replace(_SECOND, name="second-order-relaxed", inference="relaxed"),
        replace(
            _SECOND,
            name="second-order-sibling-tight",
            part_templates=_only(_SECOND, "sibling"),
            inference="fractional",
        ),
        replace(
            _SIBLING,
            name="sibling-pairs",
            part_templates={"sibling": WHOLE + _only(_SIBLING, "sibling")["sibling"]},
        ),
        *(
            replace(_FULL, name=f"full-{inference}", inference=inference, train_decoder="sampling")
            for inference in ("samples", "samples-neighbours", "samples-gold")
        ),
        replace(_MODEL1, name="model1-no-third", part_templates=_only(_MODEL1, *_PAIR)),
        replace(_MODEL2, name="model2-no-third", part_templates=_only(_MODEL2, *_PAIR)),
        replace(_MODEL1, name="model1-loglinear", rule="loglinear"),
        replace(_MODEL1, name="model1-perceptron", rule="perceptron"),
    )
}
"""All recipes by their names, the presets among them."""
