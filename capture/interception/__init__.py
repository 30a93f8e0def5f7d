"""What no protocol shows: creation, coercion, ``np.random`` and ``math`` inside a scope."""

from capture.interception.libraries import Interception
from capture.interception.session import intercepting, lift_function

__all__ = ["Interception", "intercepting", "lift_function"]
