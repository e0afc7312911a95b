"""Trees on a page: a self-contained HTML file with a picture of every sentence."""

from collections.abc import Iterable
from html import escape

from headway.corpus import Sentence
from headway.plots.tree_svg import tree_svg

_STYLE = """
body { font-family: Helvetica, Arial, sans-serif; color: #1b1f24; }
body { margin: 2rem auto; padding: 0 1.5rem; max-width: 72rem; }
h1 { font-size: 1.2rem; }
section { border-top: 1px solid #d8dee4; padding: 1rem 0; }
p { color: #6b7480; margin: 0 0 .5rem; }
div { overflow-x: auto; }
svg { display: block; }
"""


def tree_page(sentences: Iterable[Sentence], *, title: str = "Trees") -> str:
    """Return an HTML page with a section for each sentence: its number, its text and its tree."""
    sections = []
    for number, sentence in enumerate(sentences, start=1):
        text = sentence.metadata.get("text") or " ".join(sentence.forms)
        sections.append(
            f'<section id="sentence-{number}">\n<p>{number}. <span dir="auto">{escape(text)}</span></p>\n'
            f"<div>{tree_svg(sentence)}</div>\n</section>"
        )
    body = "\n".join(sections) or "<p>There is no sentence here.</p>"
    return (
        f'<!DOCTYPE html>\n<html lang="und">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{_STYLE}</style>\n</head>\n<body>\n'
        f"<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )
