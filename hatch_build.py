"""Build hook: a wheel that carries compiled kernels is for one platform and one version of Python; others are pure."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelsBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Tags the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Look whether there are kernels, which `tools/build_wheel.py` puts there."""
        if version == "standard" and any(Path(self.root, "headway", "compiled").rglob("*.kernel")):
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
