# SPDX-License-Identifier: BSD-3-Clause
"""The first answers for each device: best rates and their ratio, and the cost of a launch."""
from .records import cost, ratio, title, words

LAUNCHES = (("dispatch", "what the launching call costs", "cuda-kernel"), ("null-overhead", "one more empty loop", "openmp-kernel"))


def side(said, row=None, more=None):
    """One side of an answer: the measured value and its row."""
    return {"text": said, "variant": row["variant"] if row else "", "more": more, "rows": [row] if row else []}


def best_rates(found, device, of_filters):
    """The best rates of filters, or of all other studies."""
    def shown(best, name):
        row, gain = best[name], best[f"{name}_gain"]
        if not row:
            return side("not measured")
        return side(f"{row['metrics'][0]['text']} {row['metrics'][0]['unit']}", row,
                    [f"{gain['value']:.1f}", best["original"]["variant"]] if gain["starts"] else None)

    return [{"what": f"{title(b)}, best rate, {words(b['native'] or b['portable'])}", "sides": [shown(b, "native"), shown(b, "portable")],
             "has_intervals": False, "ratio": ratio(b["ratio"])}
            for b in found["best"] if b["device"] == device and (b["study"] == "diffusion") == of_filters]


def launch(found, device, quantity, said, native):
    """The cost of a plain launch on both sides, from the run with the narrowest interval of the ratio."""
    def rank(pair):
        ratio, problem = pair["ratio"], pair["native"]["problem"]
        width = 0.0 if ratio["low"] is None else (ratio["low"] - ratio["high"]) / ratio["value"]
        return -problem["argument_bytes"], -problem["blocks"], ratio["low"] is not None, width, pair["native"]["run"]["id"]

    pairs = [p for p in found["pairs"] if p["native"]["study"] == "launch" and p["native"]["run"]["device"] == device
             and p["native"]["problem"]["quantity"] == quantity and p["native"]["variant"] == native and p["portable"]["variant"] == "kokkos-kernel"]
    if not pairs:
        return []
    best = max(pairs, key=rank)
    return [{"what": f"Launch, {said}", "sides": [side(f"{cost(row['time_s'], factor=1e6)} µs".replace("noise µs", "noise"), row) for row in (best["native"], best["portable"])],
             "has_intervals": True, "ratio": ratio(best["ratio"])}]


def of(found):
    """[{device, answers: [{what, sides: [native, portable], ratio}]}]"""
    made = []
    for device in dict.fromkeys(r["run"]["device"] for r in found["rows"]):
        here = [*best_rates(found, device, True), *(a for of in LAUNCHES for a in launch(found, device, *of)),
                *best_rates(found, device, False)]
        if here:
            made.append({"device": device, "answers": here})
    return made
