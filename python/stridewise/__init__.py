"""Any tensor layout from one line of text.

>>> import stridewise as sw
>>> L = sw.layout("nChw16c", (2, 17, 5, 4), "f32")
>>> L(n=1, c=16, h=4, w=3)
1264
>>> L.who(byte=4096)
{'n': 1, 'c': 16, 'h': 1, 'w': 0}
"""

from . import _core
from ._advise import Advice, Candidate, NetworkAdvice, advise, advise_network
from ._convert import Plan, convert, plan
from ._drawing import Drawing, Page
from ._dtypes import type_name
from ._errors import LayoutError
from ._inspect import check, diff, infer, probe
from ._layout import Layout
from ._make import layout
from ._onnx import network_from_onnx
from ._places import Nothing
from ._reports import CheckReport, Difference, DiffReport, Fit, InferReport, Leak
from ._views import layout_of, physical, to_dlpack

__version__ = _core.version()

__all__ = ["Advice", "Candidate", "CheckReport", "DiffReport", "Difference", "Drawing", "Fit",
           "InferReport", "Layout", "LayoutError", "Leak", "NetworkAdvice", "Nothing", "Page",
           "Plan", "__version__", "advise", "advise_network", "check", "convert", "diff",
           "infer", "layout", "layout_of", "network_from_onnx", "physical", "plan", "probe",
           "to_dlpack", "type_name"]
