# SPDX-License-Identifier: BSD-3-Clause
"""A field before and after the filter."""
import numpy as np
from matplotlib.figure import Figure

from .drawing import WIDE, image
from .records import Failure


def read(path):
    """The first plane of a field; a file without one is a failure with its name."""
    try:
        return first_plane(path)
    except OSError as e:
        raise Failure(f"{path}: {e.strerror or e}", 2)
    except ValueError as e:
        raise Failure(f"{path}: is no field: {e}", 2)


def first_plane(path):
    """Of a .npy field, or of a NetCDF file's largest numeric variable."""
    if str(path).endswith(".npy"):
        data = np.load(path)
    else:
        import netCDF4

        with netCDF4.Dataset(path) as f:
            fields = [v for v in f.variables.values() if v.ndim >= 2 and getattr(v.dtype, "kind", "-") in "fi"]
            data = np.asarray(max(fields, key=lambda v: v.size)[:])  # ValueError where there is none
    if data.ndim < 2 or data.dtype.kind not in "fi" or data.size == 0:
        raise ValueError(f"it has the shape {data.shape} and the type {data.dtype}")
    return data.reshape(-1, *data.shape[-2:])[0]


def figure(before, after, label):
    a, b = read(before), read(after)
    if a.shape != b.shape:
        raise Failure(f"{after}: its planes are {b.shape[0]} x {b.shape[1]} and those of {before} {a.shape[0]} x {a.shape[1]}", 2)
    limit = np.abs(a).max()
    difference = b - a
    drawn = Figure(figsize=(WIDE, 12.5), layout="constrained")
    axes = drawn.subplots(3, 1)
    for ax, data, title, bound in ((axes[0], a, "before", limit), (axes[1], b, "after", limit),
                                   (axes[2], difference, "after - before", np.abs(difference).max() or 1)):
        shown = ax.imshow(data, cmap="RdBu_r", vmin=-bound, vmax=bound, aspect="auto")
        drawn.colorbar(shown, ax=ax)
        ax.set_title(f"{title} (first plane, {data.shape[0]} x {data.shape[1]})")
    drawn.suptitle(label)
    return image(drawn, "a field before and after the filter, and the difference")
