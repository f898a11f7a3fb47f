"""How Sphinx builds the course: stored outputs, nothing executed, nothing loaded from elsewhere."""

from html import escape
from importlib.metadata import metadata

from docutils import nodes

about = metadata("anneal-edu")
urls = dict(url.split(", ") for url in about.get_all("Project-URL", ()))  # Repository; Homepage: where the site is

project = "Annealing and tempering"
author = about["Author"]
copyright = f"{author}; anneal_edu {about['Version']}; code {about['License-Expression']}, texts and pictures CC BY 4.0"
language = "en"
extensions = ["myst_nb", *(f"sphinx.ext.{name}" for name in ("autodoc", "napoleon", "viewcode", "mathjax"))]

nb_execution_mode = "off"
nb_merge_streams = True
nb_ipywidgets_js = {}
nb_code_prompt_show = "Show the code"
nb_code_prompt_hide = "Hide the code"
myst_enable_extensions = ["dollarmath", "amsmath", "html_image"]
myst_heading_anchors = 3
myst_dmath_double_inline = True

default_role = "code"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_param = False
napoleon_use_rtype = False
suppress_warnings = ["ref.python"]  # a word for a shape, such as x, is the name of several attributes
viewcode_line_numbers = True
viewcode_follow_imported_members = False  # else an alias of a tuple leads to the source of builtins

html_theme = "furo"
html_title = "Annealing and tempering"
html_static_path = ["_static"]
html_favicon = "_static/favicon.svg"
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_search_summary = False  # it would fetch pages, which a page from a folder on disk may not
mathjax_path = "mathjax.js"
html_theme_options = {"footer_icons": [
    {"name": f"The {name.lower()}", "url": url, "class": "", "html": name} for name, url in urls.items()
]}  # fmt: skip


def escape_bars(_app, _what, _name, _member, _options, lines):
    """Escape |x|, which reStructuredText would take for a substitution."""
    example = False
    for i, line in enumerate(lines):
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>>"))
        if not example:
            parts = line.split("``")
            parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
            lines[i] = "``".join(parts)


def finish(_app, _name, _template, context, doctree):
    """Say what a page is about, for a search engine or a chat; a fold is called what stands on it."""
    if doctree is None:
        return
    context["body"] = context["body"].replace(' aria-label="Toggle hidden content"', "")
    first = next(doctree.findall(nodes.paragraph), None)
    words = " ".join(first.astext().split())[:300] if first else about["Summary"]
    home = f"{urls['Homepage'].rstrip('/')}/" if "Homepage" in urls else context["pathto"]("", 1)
    for kind, name, value in (
        ("name", "description", words), ("name", "author", author), ("property", "og:title", context["title"]),
        ("property", "og:description", words), ("property", "og:image", f"{home}_static/digits.png"),
    ):  # fmt: skip
        context["metatags"] += f'<meta {kind}="{name}" content="{escape(value)}">'


def setup(app):
    app.connect("html-page-context", finish)
    app.connect("autodoc-process-docstring", escape_bars, priority=900)
