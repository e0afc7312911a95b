"""Recipes that only a comparison needs, beside the presets that users choose from."""

from dataclasses import replace

from headway.features.high_order import WHOLE
from headway.presets import PRESETS, DecoderChoice, HighOrder, LowRank, Preset, Pruning

_FIRST, _STANDARD, _FULL = PRESETS["first-order"], PRESETS["standard"], PRESETS["full"]
_SECOND = replace(PRESETS["second-order-tight"], name="second-order", inference="trees")
_FULL_BY_MIRA = replace(_FULL, name="full-trees", inference="trees", decoder=DecoderChoice())
_MODEL1, _MODEL2, _SIBLING = PRESETS["model1"], PRESETS["model2"], PRESETS["sibling"]


def _only(preset: Preset, *kinds: str) -> HighOrder:
    assert preset.parts is not None
    return replace(preset.parts, templates={kind: preset.parts.templates[kind] for kind in kinds})


_BASIC = {"basic": 1.0, "beam": 1.0, "swaps": 0.0}
_PAIR = ("sibling", "grandparent")

RECIPES = PRESETS | {
    recipe.name: recipe
    for recipe in (
        replace(_FIRST, name="first-order-pruned", pruning=Pruning()),
        replace(_STANDARD, name="standard-without-tensor", tensor=None),
        _FULL_BY_MIRA,
        replace(_FULL_BY_MIRA, name="full-without-tensor", tensor=None),
        replace(_FULL_BY_MIRA, name="full-triples", tensor=LowRank(triples=True)),
        _SECOND,
        replace(_SECOND, name="second-order-sibling", parts=_only(_SECOND, "sibling")),
        replace(_SECOND, name="second-order-dual", decoder=DecoderChoice(train="dual-decomposition")),
        replace(_SECOND, name="second-order-greedy", decoder=DecoderChoice("greedy")),
        replace(_SECOND, name="second-order-basic", decoder=DecoderChoice("greedy", _BASIC)),
        replace(_STANDARD, name="third-order-greedy", decoder=DecoderChoice("greedy"), tensor=None),
        replace(_STANDARD, name="standard-greedy", decoder=DecoderChoice("greedy")),
        replace(_MODEL1, name="model1-tensor", tensor=_STANDARD.tensor),
        replace(_SECOND, name="second-order-relaxed", inference="relaxed"),
        replace(
            _SECOND,
            name="second-order-sibling-tight",
            parts=_only(_SECOND, "sibling"),
            inference="fractional",
        ),
        replace(
            _SIBLING,
            name="sibling-pairs",
            parts=HighOrder({"sibling": WHOLE + _only(_SIBLING, "sibling").templates["sibling"]}),
        ),
        *(
            replace(_FULL, name=f"full-{inference}", inference=inference)
            for inference in ("samples-neighbours", "samples-gold")
        ),
        replace(_MODEL1, name="model1-no-third", parts=_only(_MODEL1, *_PAIR)),
        replace(_MODEL2, name="model2-no-third", parts=_only(_MODEL2, *_PAIR)),
        replace(_MODEL1, name="model1-loglinear", rule="loglinear"),
        replace(_MODEL1, name="model1-perceptron", rule="perceptron"),
    )
}
"""All recipes by their names, the presets among them."""
