"""Sums over windows of an array, weighed by constants: what a convolution has to be given."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from exporters.onnx.fusion.affine_views import AffineView, Atom
    from ir.dims import DimLike

_MOST_SPATIAL = 3
_WIDEST_GROUP = 1024


class Contraction(NamedTuple):
    """``result[labels] = sum(view[labels] * kernel[labels])`` over the labels not in the result.

    Attributes:
        view: What is read of an array, one label per axis.
        labels: The labels of the view's axes.
        kernel: The weights.
        kernel_labels: Theirs.
        result: The labels of the result's axes, each of the view or the kernel.
    """

    view: AffineView
    labels: tuple[int, ...]
    kernel: np.ndarray[Any, Any]
    kernel_labels: tuple[int, ...]
    result: tuple[int, ...]


class Window(NamedTuple):
    """How an axis is read: ``number`` windows of ``size`` elements.

    Attributes:
        start: The first element of the first window.
        number: How many windows.
        stride: From window to window.
        size: Elements in a window.
        dilation: From element to element.
        turned: Whether a window is read backwards.
    """

    start: int
    number: DimLike
    stride: int
    size: int
    dilation: int
    turned: bool

    @property
    def extent(self) -> DimLike:
        """How far it is from the first element that is read to behind the last."""
        return (self.number - 1) * self.stride + (self.size - 1) * self.dilation + 1


class Layout(NamedTuple):
    """The axes of the array by what happens along them, and the weights that fit.

    Attributes:
        batch: Nothing is summed and the weights are the same.
        group: Nothing is summed and the weights differ; one axis or none.
        channels: Summed whole.
        spatial: Windows slide along them.
        windows: How each axis is read.
        weights: ``(group, outputs, channels, *windows)``.
        made: The sizes of the convolution's axes: batch, group, the kernel's own, spatial.
        order: Where in ``made`` the counters of the result are, the slowest first.
    """

    batch: tuple[int, ...]
    group: tuple[int, ...]
    channels: tuple[int, ...]
    spatial: tuple[int, ...]
    windows: tuple[Window, ...]
    weights: np.ndarray[Any, Any]
    made: tuple[DimLike, ...]
    order: tuple[int, ...]


class _Key(NamedTuple):
    """A counter: what happens to it, and its axis of the base or its label."""

    role: str
    place: int


_KEPT, _SUMMED, _OUTPUT = "kept", "summed", "output"


class _Roles:
    """The counters of a contraction."""

    def __init__(self, contraction: Contraction) -> None:
        self.contraction = contraction
        self.atoms: dict[_Key, Atom] = {}
        self.of_label: dict[int, list[_Key]] = {}
        self.sizes = dict(
            zip(contraction.kernel_labels, contraction.kernel.shape, strict=True)
        )
        self.fits = self._assign()

    def _assign(self) -> bool:
        contraction, result = self.contraction, set(self.contraction.result)
        for label, group in zip(contraction.labels, contraction.view.groups, strict=True):
            keys = self.of_label.setdefault(label, [])
            for atom in group:
                axes = [axis for axis, stride in enumerate(atom.strides) if stride]
                key = _Key(_KEPT if label in result else _SUMMED, *axes[:1] or [0])
                if len(axes) != 1 or key in self.atoms:
                    return False
                if (key.role == _SUMMED or self.weighs(label)) and not isinstance(
                    atom.size, int
                ):
                    return False
                self.atoms[key] = atom
                keys.append(key)
        return all(
            self.of_label.get(label) or label in result
            for label in self.sizes
            if self.weighs(label)
        )

    def weighs(self, label: int) -> bool:
        """Whether the weights differ along a label."""
        size: int = self.sizes.get(label, 1)
        return size > 1

    def keys(self, label: int) -> list[_Key]:
        """Return the counters of a label, one of the kernel's own included."""
        found = self.of_label.get(label)
        return found or ([_Key(_OUTPUT, label)] if self.weighs(label) else [])

    def window(self, axis: int) -> Window | None:
        """Return how an axis is read, or ``None`` where not window after window."""
        start = self.contraction.view.starts[axis]
        kept, summed = (self.atoms.get(_Key(role, axis)) for role in (_KEPT, _SUMMED))
        number, stride = (kept.size, kept.strides[axis]) if kept else (1, 1)
        size, dilation = (summed.size, summed.strides[axis]) if summed else (1, 1)
        if stride < 1:
            return None
        assert isinstance(size, int)
        if dilation < 0:
            start += (size - 1) * dilation
        return Window(start, number, stride, size, abs(dilation), dilation < 0)

    def weights(self, wanted: list[_Key], windows: tuple[Window, ...]) -> Any:
        """Return the kernel with one axis per wanted counter."""
        kernel, named, sizes = self.contraction.kernel, list[_Key](), list[int]()
        for label, size in self.sizes.items():
            keys = self.keys(label) if size > 1 else []
            named += keys
            sizes += [self._size(key) for key in keys]
        kernel = kernel.reshape(sizes)
        present = [key for key in wanted if key in named]
        kernel = kernel.transpose([named.index(key) for key in present])
        spread = [self._size(key) if key in named else 1 for key in wanted]
        full = np.broadcast_to(kernel.reshape(spread), [self._size(key) for key in wanted])
        turned = [
            position
            for position, key in enumerate(wanted)
            if key.role == _SUMMED and windows[key.place].turned
        ]
        return np.flip(full, tuple(turned))

    def _size(self, key: _Key) -> int:
        size = self.sizes[key.place] if key.role == _OUTPUT else self.atoms[key].size
        assert isinstance(size, int)
        return size


def layout_of(contraction: Contraction) -> Layout | None:
    """Return what a convolution needs, or ``None`` where the sums are not over windows."""
    roles = _Roles(contraction)
    rank = len(contraction.view.starts)
    found = [roles.window(axis) for axis in range(rank)] if roles.fits else []
    windows = tuple(window for window in found if window is not None)
    if len(windows) != rank or not rank:
        return None
    kept = {key.place for key in roles.atoms if key.role == _KEPT}
    summed = {key.place for key in roles.atoms if key.role == _SUMMED}
    group = sorted(
        key.place
        for label, keys in roles.of_label.items()
        for key in keys
        if roles.weighs(label) and key.role == _KEPT
    )
    spatial = sorted(kept & summed)
    channels = sorted(summed - kept)
    batch = [axis for axis in range(rank) if axis not in {*spatial, *channels, *group}]
    if not 0 < len(spatial) <= _MOST_SPATIAL or len(group) > 1 or set(group) & summed:
        return None
    outputs = [
        key for label in contraction.result for key in roles.keys(label) if key.role == _OUTPUT
    ]
    over = [*(_Key(_SUMMED, axis) for axis in (*channels, *spatial))]
    weights = roles.weights([*(_Key(_KEPT, axis) for axis in group), *outputs, *over], windows)
    if not (group or outputs or channels):
        batch, group = _one_group(batch, windows)
        if group:
            width: Any = windows[group[0]].number
            weights = np.broadcast_to(weights, (width, *weights.shape))
    shape = weights.shape[len(group) : len(group) + len(outputs)]
    made = [_Key(_KEPT, axis) for axis in (*batch, *group) if axis in kept]
    made += [*outputs, *(_Key(_KEPT, axis) for axis in spatial)]
    sizes = {key: atom.size for key, atom in roles.atoms.items()}
    sizes.update(zip(outputs, shape, strict=True))
    return Layout(
        tuple(batch),
        tuple(group),
        tuple(channels),
        tuple(spatial),
        windows,
        np.ascontiguousarray(weights).reshape(
            weights.shape[0] if group else 1,
            prod(shape),
            prod(windows[axis].size for axis in channels),
            *(windows[axis].size for axis in spatial),
        ),
        tuple(sizes[key] for key in made),
        tuple(made.index(key) for label in contraction.result for key in roles.keys(label)),
    )


def _one_group(batch: list[int], windows: tuple[Window, ...]) -> tuple[list[int], list[int]]:
    """Return the batch with its last axis as the group: many times faster than one by one."""
    for axis in reversed(batch):
        number = windows[axis].number
        if number == 1:
            continue
        if isinstance(number, int) and number <= _WIDEST_GROUP:
            return [other for other in batch if other != axis], [axis]
        break
    return batch, []
