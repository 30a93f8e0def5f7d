"""Sphinx configuration: Markdown pages, a plain theme, nothing fetched when a page is read."""

from importlib.metadata import version as installed_version

project = "graph-capture"
author = "the graph-capture authors"
version = release = installed_version("graph-capture")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "graph-capture"
html_copy_source = False

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
