# SPDX-License-Identifier: BSD-3-Clause
"""A GPU whose launches cost what a test says: traces of programs on it, records of its launch study, and how long the same
programs take there when they are launched otherwise. Seconds."""
import dataclasses
import json
import random

from record_files import row

US = 1e-6


@dataclasses.dataclass
class Machine:
    name: str = "Simulated GPU 1"
    call: float = 2.2 * US          # a launching call
    start: float = 1.5 * US         # from its end to the kernel's beginning
    null: float = 0.9 * US          # a null kernel
    gap: float = 0.6 * US           # between two kernels of a stream
    node_gap: float = 0.1 * US      # between two nodes of a graph
    graph_call: float = 3.0 * US
    graph_base: float = 1.0 * US    # once a graph on the device
    dependent_gap: float = 0.2 * US
    wake: float = 2.0 * US          # from the device's last work to the end of a wait
    barrier: float = 1.2 * US
    copy_call: float = 1.8 * US
    recording: float = 0.0          # what the tracer adds after each call

    def graph_device(self, kernels):
        return self.graph_base + sum(k + self.node_gap for k in kernels)

    def graph_repeat(self, nodes):
        return max(self.graph_call, self.graph_device([self.null] * nodes))


@dataclasses.dataclass
class Op:
    kind: str                # launch, copy, wait
    name: str = ""
    seconds: float = 0.0     # on the device
    host: float = 0.0        # the host's own work before the call


class Run:
    """A program on the machine; its events as a trace has them."""

    def __init__(self, machine, gap=None, call=None):
        self.machine, self.gap, self.call = machine, machine.gap if gap is None else gap, machine.call if call is None else call
        self.host = self.device = 0.0
        self.events, self.correlation = [], 0

    def do(self, op, record=True):
        m = self.machine
        self.host += op.host
        begin = self.host
        if op.kind == "wait":
            self.host = max(self.host + 0.3 * US, self.device + m.wake)
            self.events.append(("wait", "cudaStreamSynchronize", begin, self.host, 0))
        else:
            self.host += self.call if op.kind == "launch" else m.copy_call
            self.correlation += 1
            start = max(self.host + m.start, self.device + self.gap)
            self.device = start + op.seconds
            call = ("launch", "cudaLaunchKernel") if op.kind == "launch" else ("copy_call", "cudaMemcpyAsync")
            self.events.append((*call, begin, self.host, self.correlation))
            if record:
                self.events.append(("kernel" if op.kind == "launch" else "copy", op.name, start, self.device, self.correlation))
        self.host += m.recording

    def graph(self, ops):
        """The launches of a group as one graph: what the host did between them is not done again."""
        m = self.machine
        self.host += ops[0].host + m.graph_call
        self.device = max(self.host + m.start, self.device) + m.graph_device([op.seconds for op in ops])

    def now(self):
        return max(self.host, self.device)


def groups(step):
    """(launches and copies, the wait that ends them or None)."""
    group = []
    for op in step:
        if op.kind == "wait":
            yield group, op
            group = []
        else:
            group.append(op)
    if group:
        yield group, None


def seconds_a_step(machine, step, way="stream", repetitions=60):
    """What really happens when the step is launched in this way, without a tracer."""
    quiet = dataclasses.replace(machine, recording=0.0)
    run = Run(quiet, gap=machine.dependent_gap if way == "dependent" else None)
    times = []
    for _ in range(repetitions):
        for group, wait in groups(step):
            if way == "graph":
                run.graph(group)
            elif way == "fused":
                for op in fused(machine, group):
                    run.do(op)
            else:
                for op in group:
                    run.do(op)
            if wait:
                run.do(wait)
        times.append(run.now())
    half = repetitions // 2
    return (times[-1] - times[half - 1]) / (repetitions - half)


def fused(machine, group):
    """Neighbouring kernels as one: their work once the null kernel's time is taken from each."""
    done = []
    for op in group:
        if done and op.kind == "launch" and done[-1].kind == "launch":
            done[-1] = dataclasses.replace(done[-1], seconds=done[-1].seconds + op.seconds - machine.null, host=done[-1].host + op.host)
        else:
            done.append(op)
    return done


def persistent_step(machine, step):
    return sum(op.seconds - machine.null + machine.barrier for op in step)


def write_trace(path, run, device=None, drop=lambda e: False, untimed=lambda e: False, truncated=False, extra=()):
    """The events in the order in which a tracer has them: those of the device after their calls."""
    names, lines = {}, []
    header = {"parity_trace": 1, "arguments": ["./simulated"], "process": 1, "host": "h", "processor": "CPU A",
              "seconds_an_event": run.machine.recording or 1e-12}
    if device is not False:
        lines.append({"device": {"index": 0, "name": device or run.machine.name}})
    lines += extra
    for event in run.events:
        kind, name, begin, end, correlation = event
        if drop(event):
            continue
        if name not in names:
            names[name] = len(names) + 1
            lines.append({"n": names[name], "name": name})
        line = {"e": kind, "n": names[name], "t": round(1e9 * begin) + 1000, "d": round(1e9 * (end - begin)), "c": correlation}
        if untimed(event):
            line.update(t=None, d=None)
        line.update({"g": 0, "s": 7} if kind in ("kernel", "copy") else {"th": 0})
        lines.append(line)
    if not truncated:
        lines.append({"end": True, "events": len(run.events), "lost": 0, "open": 0})
    path.write_text("".join(json.dumps(line) + "\n" for line in [header, *lines]))
    return path


def traced(machine, step, repetitions, warm_up=0, seed=1, noise=0.0, every=None, interleaved=None):
    """Repetitions of a step after other things, with further launches between at random, and one each so many steps."""
    chance, run = random.Random(seed), Run(machine)
    for k in range(warm_up):
        run.do(Op("launch", f"setup {chance.randrange(1000)}", 3 * US))
    for k in range(repetitions):
        for op in step:
            if chance.random() < noise:
                run.do(Op("launch", f"noise {chance.randrange(9)}", 2 * US))
            run.do(op)
        if every and k % every == every - 1:
            run.do(interleaved)
    return run


def write_shared_trace(path, machine, step, recording, block=400, pause=0.0, counting=0.0, cut=0):
    """Of a program that is recorded in windows, where each call takes 'recording' longer, and counted in others, where each launch takes
    'counting' longer. A wait after so many steps, then a pause; CUPTI numbers its calls anew in each window. cut: kernels whose records a window's end has lost."""
    waits = any(op.kind == "wait" for op in step)
    lines = [{"parity_trace": 1, "arguments": ["./simulated"], "process": 1, "host": "h", "processor": "CPU A", "seconds_an_event": 1e-7}]
    names, offset = {}, 1000

    def number(name):
        if name not in names:
            names[name] = len(names) + 1
            lines.append({"n": names[name], "name": name})
        return names[name]

    for cycle in range(2):
        for kind in ("all", "counts") if cycle == 0 else ("counts", "all"):
            added = recording if kind == "all" else counting
            run = Run(dataclasses.replace(machine, recording=added))
            lines += [{"window": kind, "t": offset, "share": 0.05}]
            if kind == "all":
                lines.append({"device": {"index": 0, "name": machine.name}})
            tallied, after_wait = 0, False
            for k in range(3 * block):
                for op in step:
                    begin = run.host + op.host
                    run.do(op)
                    if kind == "counts" and op.kind == "launch":
                        if tallied % 32 == 0 or after_wait:
                            lines.append({"e": "tally", "t": offset + round(1e9 * begin), "th": 0, "w": cycle, "k": tallied})
                        tallied, after_wait = tallied + 1, False
                    if kind == "counts" and op.kind == "wait":
                        lines.append({"e": "tally", "t": offset + round(1e9 * run.events[-1][3]), "th": 0, "w": cycle, "k": tallied, "wait": 1})
                        after_wait = True
                if not waits and k % block == block - 1:
                    run.do(Op("wait"))
                    if kind == "counts":
                        lines.append({"e": "tally", "t": offset + round(1e9 * run.host), "th": 0, "w": cycle, "k": tallied, "wait": 1})
                        after_wait = True
                    run.host += pause
            kernels = [e for e in run.events if e[0] in ("kernel", "copy")]
            lost = {id(e) for e in kernels[len(kernels) - cut:]} if cut else set()
            for event in run.events if kind == "all" else ():
                what, name, begin, end, correlation = event
                if id(event) in lost:
                    continue
                lines.append({"e": what, "n": number(name), "t": offset + round(1e9 * begin), "d": round(1e9 * (end - begin)), "c": correlation,
                              **({"g": 0, "s": 7} if what in ("kernel", "copy") else {"th": 0})})
            offset += round(1e9 * max(run.host, run.device)) + 1000
    lines.append({"window": "none", "t": offset, "share": 0.05})
    if counting:
        lines += [{"own_launches": "begin"}, {"own_launches": {"recorded": machine.call + recording, "counted": machine.call + counting,
                                                               "alone": machine.call}}]
    lines.append({"end": True, "events": len(lines), "lost": 0, "open": 0})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


NODES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


def launch_records(machine, spread=0.001, leave_out=()):
    """Records of the machine's launch study: three starts whose medians lie so far apart."""
    def quantity(name, variant, seconds, launches=100, blocks=1):
        if name in leave_out:
            return []
        problem = {"quantity": name, "unit": "spin", "topology": "line", "launches": launches, "units": 5, "unit_ns": 5000, "blocks": blocks,
                   "threads": 128, "argument_bytes": 0, "devices": 1, "bytes": 1048576}
        samples = [seconds * (1 - spread), seconds, seconds * (1 + spread)]
        line = row("launch", variant, samples, problem, run=machine.name)
        line["run"]["device"] = machine.name
        return [line]
    m, lines = machine, []
    lines += quantity("null-overhead", "cuda-kernel", max(m.call, m.null + m.gap))
    lines += quantity("device-interval", "cuda-kernel", m.null + m.gap)
    lines += quantity("latency", "cuda-kernel", m.call + m.start + m.null + m.wake)
    lines += quantity("null-overhead", "cuda-dependent", max(m.call, m.null + m.dependent_gap))
    lines += quantity("device-interval", "cuda-dependent", m.null + m.dependent_gap)
    lines += quantity("barrier", "cuda-barrier-grid", m.barrier, blocks=132)
    for n in NODES:
        lines += quantity("graph-repeat", "cuda-graph", m.graph_repeat(n), launches=n)
        lines += quantity("graph-create", "cuda-graph", (1 + 0.4 * n) * US, launches=n)
        lines += quantity("graph-instantiate", "cuda-graph", (10 + 0.5 * n) * US, launches=n)
        lines += quantity("graph-upload", "cuda-graph", 5 * US, launches=n)
    return lines


def setup_seconds(nodes):
    return (16 + 0.9 * nodes) * US
