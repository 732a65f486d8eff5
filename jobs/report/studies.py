# SPDX-License-Identifier: BSD-3-Clause
"""How the problems of each study are named and which figures they have; studies not named here have plain ones."""
import dataclasses
import typing


@dataclasses.dataclass(frozen=True)
class Sweep:
    """A figure over one parameter; the time is shared out over 'per'."""

    axis: str
    label: str
    title: str
    unit: str
    per: typing.Callable = lambda p: 1
    only: typing.Callable = lambda p: True
    follows: tuple = ()  # parameters that change with the axis


def points(p):
    return p["nx"] * p["ny"] * p["nz"]


def steps(p):
    return p["steps"]


def square(p):
    return p["nx"] == p["ny"]


SWEEPS = {
    "diffusion": [Sweep("nx", "nx = ny", "over the grid size", "µs a grid point", points, square, ("ny",)),
                  Sweep("steps", "steps", "over the number of steps", "µs a step", steps)],
    "kde": [Sweep("n", "samples", "over the number of samples", "µs a density")],
}
TITLES = {"diffusion": "Diffusion filter", "kde": "Density"}
UNITS = {"diffusion": "µs a step", "kde": "µs a density"}


def title(study):
    return TITLES.get(study, study.capitalize())


def unit(study):
    return UNITS.get(study, "µs")


def sweeps(rows):
    """The figures of a study's rows; of an unknown study one over each of its numbers."""
    study = rows[0].study
    if study in SWEEPS:
        return SWEEPS[study]
    names = [k for k, v in rows[0].problem.items() if isinstance(v, int) and v > 0]
    return [Sweep(k, k, f"over {k}", "µs") for k in names]


def named(p, names):
    """name = value of parameters."""
    return ", ".join(f"{k} = {p[k]:g}" if isinstance(p[k], float) else f"{k} = {p[k]}" for k in names)


def problem(row, without=()):
    """The problem in words, less the parameters that a figure runs over."""
    p = row.problem
    if row.study == "diffusion":
        grid = {"nx": f"nz = {p['nz']}"}.get(without[0] if without else "", f"{p['nx']} x {p['ny']} x {p['nz']}")
        return ", ".join([grid, *([f"N = {p['steps']}"] if "steps" not in without else []), p["precision"]])
    if row.study == "kde":
        size = [] if "n" in without else [f"n = {p['n']}"]
        return ", ".join([*size, f"h = {p['bandwidth']:g}", p["distribution"], p["precision"]])
    return named(p, [k for k in sorted(p) if k not in without])
