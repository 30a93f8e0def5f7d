"""What a loaded model consists of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import onnx

    Array = np.ndarray[Any, Any]


class Parts(NamedTuple):
    """A model taken apart.

    Attributes:
        proto: The model; its inputs are those of the user, then the weights.
        inputs: Names of the inputs that have to be given.
        defaults: Names of inputs that may be given; else the model has a value for them.
        weights: Arrays by name.
    """

    proto: onnx.ModelProto
    inputs: tuple[str, ...]
    defaults: tuple[str, ...]
    weights: dict[str, Array]
