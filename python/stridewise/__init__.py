"""Any tensor layout from one line of text.

>>> import stridewise as sw
>>> L = sw.layout("nChw16c", (2, 17, 5, 4), "f32")
>>> L(n=1, c=16, h=4, w=3)
1264
>>> L.who(byte=4096)
{'n': 1, 'c': 16, 'h': 1, 'w': 0}
"""

from ._core import LayoutError, __version__
from ._dtypes import type_name
from ._convert import Plan, convert, plan
from ._layout import Drawing, Layout, Nothing, layout

__all__ = ["Drawing", "Layout", "LayoutError", "Nothing", "Plan", "__version__",
           "convert", "layout", "plan", "type_name"]
