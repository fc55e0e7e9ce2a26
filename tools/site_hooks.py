"""Hooks of mkdocs: pages made from other files, and links that hold in the repository and on the site.

README, changelog and two more files of the repository are pages of the site; the verbs are written from `--help`.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

import material.plugins.search.plugin as search
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))
from verb_pages import verb_pages

search.jieba = None  # where it is installed the search would load a dictionary for some examples in Chinese
ROOT = Path(__file__).parents[1]
COPIED = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
"""Files of the repository by the page they are on the site."""
_LOADED = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//""")
_LINK = re.compile(r"(?<!!)\[([^\]\n]*(?:\n[^\]\n]*)?)\]\(([^)\s:#]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made."""
    for name, page in COPIED.items():
        text = _moved(ROOT.joinpath(name).read_text(encoding="utf-8"), name, page)
        files.append(File.generated(config, page, content=text))
    for name, (_, text) in verb_pages().items():
        files.append(File.generated(config, f"reference/verbs/{name}", content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Change links out of docs/ to their pages of the site; what has none keeps its text."""
    source = page.file.src_uri
    return markdown if page.file.generated_by else _moved(markdown, f"docs/{source}", source)


def on_post_build(config: Any) -> None:
    """Refuse a site that would load something from elsewhere."""
    for page in sorted(Path(config["site_dir"]).rglob("*.html")):
        if loaded := _LOADED.search(page.read_text(encoding="utf-8")):
            raise PluginError(f"{page}: loads something from elsewhere: {loaded[0]}")


def _moved(text: str, repository: str, site: str) -> str:
    """Return the text of a file of the repository as the page `site`."""

    def link(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(repository), target))
        if path.startswith("docs/"):
            page = path.removeprefix("docs/")
        elif path in COPIED:
            page = COPIED[path]
        else:
            return words
        return f"[{words}]({posixpath.relpath(page, posixpath.dirname(site) or '.')}{anchor})"

    return _LINK.sub(link, text)
