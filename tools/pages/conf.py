"""How Sphinx builds the course: stored outputs, nothing executed, nothing loaded from elsewhere."""

project = "Annealing and tempering"
author = "the anneal_edu developers"
copyright = author
language = "en"
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx.ext.mathjax",
]
exclude_patterns = []

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

html_theme = "furo"
html_title = "Annealing and tempering"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_search_summary = False  # it would fetch pages, which a page from a folder on disk may not
html_last_updated_fmt = None
mathjax_path = "mathjax.js"


def escape_bars(_app, _what, _name, _member, _options, lines):
    """Escape |x|, which reStructuredText would take for a substitution."""
    example = False
    for i, line in enumerate(lines):
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>>"))
        if not example:
            parts = line.split("``")
            parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
            lines[i] = "``".join(parts)


def setup(app):
    app.connect("autodoc-process-docstring", escape_bars, priority=900)
