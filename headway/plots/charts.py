"""Draw charts with lines or groups of bars, as PNG or SVG.

Drawn by matplotlib, which is only imported when a chart is drawn: ``pip install 'headway[plots]'``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headway.corpus import open_output
from headway.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".png", ".svg")
_COLOURS = ("#1f5fa8", "#c2410c", "#2f7d4f", "#7a4ea3", "#a37f1b", "#4b5563")
_MARKERS = "osD^vP"
_FEW = 20
"""Lines with up to this many points have markers."""

Line = tuple[NDArray[np.generic], NDArray[np.generic]]


@dataclass(frozen=True, eq=False)
class Chart:
    """Lines to draw.

    Parameters
    ----------
    lines : mapping of str to ((points,), (points,))
        The name of each line, and x and y of its points.
    x_log, y_log : bool
        Whether an axis is logarithmic.
    """

    title: str
    x_label: str
    y_label: str
    lines: Mapping[str, Line]
    x_log: bool = False
    y_log: bool = False


@dataclass(frozen=True, eq=False)
class BarChart:
    """Bars to draw, in groups.

    Parameters
    ----------
    groups : sequence of str
        The labels below the axis.
    bars : mapping of str to (groups,)
        The name of each series, and its heights; None leaves a gap.
    lowest : float
        The lower end of the axis.
    """

    title: str
    y_label: str
    groups: Sequence[str]
    bars: Mapping[str, Sequence[float | None]]
    lowest: float = 0.0


def check_chart_path(path: str | Path) -> None:
    """Raise UsageError if no chart can be drawn to `path`; called before long work."""
    if Path(path).suffix.lower() not in FORMATS:
        raise UsageError(f"{path}: the name of a chart must end in {' or '.join(FORMATS)}")
    _matplotlib()


def draw_charts(charts: Sequence[Chart | BarChart], path: str | Path) -> None:
    """Draw charts side by side to a PNG or SVG file, which appears complete or not at all.

    Raises
    ------
    UsageError
        If the name has another suffix, or matplotlib is not installed.
    """
    check_chart_path(path)
    picture = _picture(charts, Path(path).suffix[1:].lower())
    with open_output(path) as stream:
        stream.write(picture)


def _picture(charts: Sequence[Chart | BarChart], format: str) -> bytes:
    matplotlib = _matplotlib()
    # The same charts give the same bytes: no date, and no random identifiers.
    with matplotlib.rc_context({"svg.hashsalt": "headway", "svg.fonttype": "none", "font.size": 10.0}):
        figure = matplotlib.figure.Figure(figsize=(6.4 * max(len(charts), 1), 4.0), layout="constrained")
        for place, chart in enumerate(charts, start=1):
            _draw(figure.add_subplot(1, len(charts), place), chart)
        output = BytesIO()
        figure.savefig(output, format=format, dpi=150, metadata={"Date": None} if format == "svg" else None)
    return output.getvalue()


def _draw(axes: "Axes", chart: Chart | BarChart) -> None:
    axes.set_title(chart.title, fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e3e6ea", linewidth=0.8)
    axes.set_axisbelow(True)
    if isinstance(chart, Chart):
        _draw_lines(axes, chart)
    else:
        _draw_bars(axes, chart)


def _draw_lines(axes: "Axes", chart: Chart) -> None:
    for index, (name, (x, y)) in enumerate(chart.lines.items()):
        marker = _MARKERS[index % len(_MARKERS)] if len(x) <= _FEW else None
        axes.plot(x, y, label=name, color=_COLOURS[index % len(_COLOURS)], marker=marker, markersize=4, linewidth=1.6)
    axes.set_xlabel(chart.x_label)
    axes.set_ylabel(chart.y_label)
    if chart.x_log:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:,g}")
    if chart.y_log:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:,g}")
    if len(chart.lines) > 1:
        axes.legend(frameon=False, fontsize=9)


def _draw_bars(axes: "Axes", chart: BarChart) -> None:
    places, width = np.arange(len(chart.groups)), 0.8 / max(len(chart.bars), 1)
    for index, (name, heights) in enumerate(chart.bars.items()):
        shift = (index - (len(chart.bars) - 1) / 2) * width
        shown = [np.nan if height is None else height for height in heights]
        bars = axes.bar(places + shift, shown, width * 0.92, label=name, color=_COLOURS[index % len(_COLOURS)])
        axes.bar_label(bars, fmt="%.1f", fontsize=7, padding=1)
    axes.set_xticks(places, chart.groups)
    axes.set_ylabel(chart.y_label)
    axes.set_ylim(bottom=chart.lowest)
    if len(chart.bars) > 1:  # place the legend below the axis, where there are no bars
        axes.legend(frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=len(chart.bars))


def _matplotlib() -> Any:
    try:
        import matplotlib
        import matplotlib.figure
    except ImportError:
        raise UsageError("drawing needs matplotlib: pip install 'headway[plots]'") from None
    return matplotlib
