"""``np.vectorize``, ``np.ndenumerate``, ``np.nditer``: captured arrays of known sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import find_recorder, lift
from capture.errors import UnsupportedError
from capture.location import here
from capture.tensor import Tensor
from capture.views import shadow_of

if TYPE_CHECKING:
    from collections.abc import Iterator


def _require_static(name: str, tensor: Tensor) -> None:
    if not tensor._type.is_static:
        raise UnsupportedError(
            f"{name}: goes over elements one by one, and a size of {tensor._type} is known "
            f"only when the graph runs{here(2)}\n  ways out: write the function with array "
            "operations (np.where for its branches); or give the axis a fixed size"
        )


class CapturingVectorize(np.vectorize):
    """``numpy.vectorize``: captured arguments are taken apart, one call for each element.

    As in NumPy the first element is called once more, in its own dtype, to learn the result's;
    the calls themselves see Python numbers there, so they compute in double precision here.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function on the elements."""
        recorder = find_recorder(args, kwargs)
        state: Any = self
        if recorder is None or state.pyfunc is np._NoValue:
            return super().__call__(*args, **kwargs)
        if state.signature is not None or state.excluded or kwargs:
            raise UnsupportedError(
                f"vectorize: signature=, excluded= and keywords are not captured{here()}\n"
                "  ways out: call the function itself in a loop; or use array operations"
            )
        spread = np.broadcast_arrays(*(lift(recorder, value) for value in args))
        for tensor in spread:
            _require_static("vectorize", tensor)  # type: ignore[arg-type]
        shape = spread[0].shape
        if 0 in shape:
            raise UnsupportedError(
                f"vectorize: cannot be called on arrays without elements{here()}\n  ways out: "
                "write the function with array operations"
            )
        first = (0,) * len(shape)
        sample = state.pyfunc(*(tensor[first] for tensor in spread))
        several = isinstance(sample, tuple)
        samples = sample if several else (sample,)
        dtypes = (
            list(state.otypes) if state.otypes else [lift(recorder, v).dtype for v in samples]
        )
        wide = [_as_python_number(tensor) for tensor in spread]
        rows = []
        for index in np.ndindex(*shape):
            made = state.pyfunc(*(tensor[index] for tensor in wide))
            rows.append(made if several else (made,))
        columns = [
            lift(recorder, list(column), dtype).reshape(shape)
            for column, dtype in zip(zip(*rows, strict=True), dtypes, strict=True)
        ]
        return tuple(columns) if several else columns[0]


def _as_python_number(tensor: Any) -> Any:
    """Return the elements in the precision that Python's own numbers have."""
    kind = tensor.dtype.kind
    if kind == "b":
        return tensor
    return tensor.astype(
        np.int64 if kind in "iu" and tensor.dtype != np.uint64 else _WIDE[kind]
    )


_WIDE = {"u": np.uint64, "f": np.float64, "V": np.float64}


def ndenumerate(arr: Any) -> Any:
    """``numpy.ndenumerate``: pairs of an index and the captured element there."""
    recorder = find_recorder((arr,))
    if recorder is None:
        return np.ndenumerate(arr)
    tensor = lift(recorder, arr)
    _require_static("ndenumerate", tensor)
    return ((index, tensor[index]) for index in np.ndindex(*tensor.shape))


def nditer(op: Any, flags: Any = (), op_flags: Any = None, *args: Any, **kwargs: Any) -> Any:
    """``numpy.nditer``: captured operands give 0-d views of elements, in NumPy's order."""
    recorder = find_recorder((op,))
    if recorder is None:
        return np.nditer(op, flags, op_flags, *args, **kwargs)
    return TensorIterator(recorder, op, flags or (), op_flags, *args, **kwargs)


class TensorIterator:
    """What ``np.nditer`` gives for captured operands of known sizes.

    The order of elements is NumPy's own: a real iterator runs over arrays of the same layout.

    Raises:
        UnsupportedError: An operand is allocated, buffered or cast, or has an open size.
    """

    def __init__(
        self,
        recorder: Any,
        op: Any,
        flags: Any,
        op_flags: Any,
        op_dtypes: Any = None,
        order: str = "K",
        casting: str = "safe",
        op_axes: Any = None,
        itershape: Any = None,
        buffersize: int = 0,
    ) -> None:
        given = op if isinstance(op, list | tuple) else (op,)
        refused = {"external_loop", "buffered", "delay_bufalloc", "ranged"} & set(flags)
        if refused or op_dtypes is not None or op_axes is not None or itershape is not None:
            raise UnsupportedError(
                "nditer: external_loop, buffered, ranged, op_dtypes=, op_axes= and itershape= "
                f"are not captured{here(2)}\n  ways out: plain nditer, np.ndindex(x.shape)"
            )
        if any(value is None for value in given):
            raise UnsupportedError(
                f"nditer: operands to allocate are not captured{here(2)}\n  ways out: make "
                "the result with np.empty_like and pass it in"
            )
        tensors = [lift(recorder, value) for value in given]
        for tensor in tensors:
            _require_static("nditer", tensor)
        tracked = tuple({*flags, "multi_index"} - {"c_index", "f_index", "common_dtype"})
        make: Any = np.nditer
        self._real: Any = make(
            [shadow_of(tensor) for tensor in tensors],
            (*tracked, "zerosize_ok"),
            [["readonly"]] * len(tensors),
            order=order,
        )
        self._flags = frozenset(flags)
        shape = self._real.shape
        self.operands = tuple(tensors)
        self._spread = [t if t.shape == shape else np.broadcast_to(t, shape) for t in tensors]
        self._started = False
        writing = _flags_of_each(op_flags, len(tensors))
        if "zerosize_ok" not in flags and 0 in shape:
            raise ValueError("Iteration of zero-sized operands is not enabled")
        self._writeable = [bool({"readwrite", "writeonly"} & set(flag)) for flag in writing]

    @property
    def value(self) -> Any:
        """The current elements: 0-d views, one alone or a tuple."""
        views = [self[position] for position in range(len(self._spread))]
        return views[0] if len(views) == 1 else tuple(views)

    @property
    def multi_index(self) -> tuple[int, ...]:
        """The current index."""
        if "multi_index" not in self._flags:
            raise ValueError("Iterator is not tracking a multi-index")
        return tuple(map(int, self._real.multi_index))

    @property
    def index(self) -> int:
        """The current flat index."""
        order = "C" if "c_index" in self._flags else "F" if "f_index" in self._flags else None
        if order is None:
            raise ValueError("Iterator does not have an index")
        axes = zip(self._real.multi_index, self._real.shape, strict=True)
        position = 0
        for index, size in axes if order == "C" else reversed(list(axes)):
            position = position * size + index
        return position

    @property
    def finished(self) -> bool:
        """Whether all elements were visited."""
        return bool(self._real.finished)

    @property
    def shape(self) -> tuple[int, ...]:
        """The iteration's shape."""
        return self._real.shape  # type: ignore[no-any-return]

    def iternext(self) -> bool:
        """Go on to the next element; false at the end."""
        return bool(self._real.iternext())

    def reset(self) -> None:
        """Start anew."""
        self._started = False
        self._real.reset()

    def __getitem__(self, position: int) -> Any:
        view = self._spread[position][(*self._real.multi_index, ...)]
        return view if self._writeable[position] else np.broadcast_to(view, ())

    def __setitem__(self, position: int, value: Any) -> None:
        self[position][...] = value

    def __len__(self) -> int:
        return len(self._spread)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._started:
            self._real.iternext()
        self._started = True
        if self._real.finished:
            raise StopIteration
        return self.value

    def __enter__(self) -> TensorIterator:
        return self

    def __exit__(self, *error: object) -> None:
        pass


def _flags_of_each(op_flags: Any, count: int) -> list[Any]:
    """Return one list of flags for each operand."""
    if op_flags is None:
        return [("readonly",)] * count
    if all(isinstance(flag, str) for flag in op_flags):
        return [tuple(op_flags)] * count
    return list(op_flags)


ELEMENT_FUNCTIONS: dict[str, Any] = {
    "ndenumerate": ndenumerate,
    "nditer": nditer,
    "vectorize": CapturingVectorize,
}
"""Replacements by the name they have in NumPy's main namespace."""
