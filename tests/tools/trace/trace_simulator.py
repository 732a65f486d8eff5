# SPDX-License-Identifier: BSD-3-Clause
"""A GPU with launch costs that a test sets: traces of programs on it, and the times of the same programs with other ways to launch. All times are in
seconds."""
import dataclasses
import json
import random
import sqlite3

US = 1e-6
QUEUE = 200 * US  # the host may run ahead by this much work
IDLE = 0.05 * US  # overhead of an idle recorder per launch


@dataclasses.dataclass
class Machine:
    name: str = "Simulated GPU 1"
    call: float = 2.2 * US          # a launching call
    start: float = 1.5 * US         # from the end of the call to the start of the kernel
    null: float = 0.9 * US          # a null kernel
    gap: float = 0.6 * US           # between two kernels of a stream
    node_gap: float = 0.1 * US      # between two nodes of a graph
    graph_call: float = 3.0 * US
    graph_base: float = 1.0 * US    # once per graph on the device
    wake: float = 2.0 * US          # from the device's last work to the end of a wait
    copy_call: float = 1.8 * US
    recording: float = 0.0          # added by the tracer after each call

    def graph_device(self, kernels):
        return self.graph_base + sum(k + self.node_gap for k in kernels)


@dataclasses.dataclass
class Op:
    kind: str                # launch, copy, wait
    name: str = ""
    seconds: float = 0.0     # on the device
    host: float = 0.0        # the host's own work before the call


class Run:
    """A program on the machine, with its events as in a trace."""

    def __init__(self, machine, queue=1e9):
        self.machine, self.queue = machine, queue
        self.host = self.device = 0.0
        self.events, self.correlation = [], 0

    def do(self, op):
        m = self.machine
        begin = self.host = max(self.host + op.host, self.device - self.queue)
        if op.kind == "wait":
            self.host = max(self.host + 0.3 * US, self.device + m.wake)
            self.events.append(("wait", "cudaStreamSynchronize", begin, self.host, 0))
        else:
            self.host += m.call if op.kind == "launch" else m.copy_call
            self.correlation += 1
            start = max(self.host + m.start, self.device + m.gap)
            self.device = start + op.seconds
            call = ("launch", "cudaLaunchKernel") if op.kind == "launch" else ("copy_call", "cudaMemcpyAsync")
            self.events.append((*call, begin, self.host, self.correlation))
            self.events.append(("kernel" if op.kind == "launch" else "copy", op.name, start, self.device, self.correlation))
        self.host += m.recording

    def all(self, ops, times=1):
        for op in times * list(ops):
            self.do(op)
        return self

    def graph(self, ops):
        """The launches of a group as one graph: the host's work between them happens only once."""
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
    yield group, None


def seconds_a_step(machine, step, way="stream", repetitions=60):
    """The true seconds per step if it is launched in this way, without a tracer."""
    run = Run(dataclasses.replace(machine, recording=0.0))
    times = []
    for _ in range(repetitions):
        for group, wait in groups(step):
            if way == "graph" and group:
                run.graph(group)
            else:
                run.all(fused(machine, group) if way == "fused" else group)
            run.all([wait] if wait else [])
        times.append(run.now())
    half = repetitions // 2
    return (times[-1] - times[half - 1]) / (repetitions - half)


def fused(machine, group):
    """Neighbouring kernels merged into one: their work, less the time of a null kernel for each merge."""
    done = []
    for op in group:
        if done and op.kind == "launch" and done[-1].kind == "launch":
            done[-1] = dataclasses.replace(done[-1], seconds=done[-1].seconds + op.seconds - machine.null, host=done[-1].host + op.host)
        else:
            done.append(op)
    return done


def traced(machine, step, repetitions, warm_up=0, seed=1, noise=0.0, every=None, interleaved=None):
    """Repetitions of a step after a warm-up, with random extra launches in between, and 'interleaved' after each 'every' steps."""
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


def events_of(run, drop=lambda e: False, untimed=lambda e: False, offset=1 * US):
    """Chrome's events of a run, in a recorder's order: device events after their calls."""
    for event in run.events:
        kind, name, begin, end, correlation = event
        if drop(event):
            continue
        on_device = kind in ("kernel", "copy")
        line = {"ph": "X", "cat": {"kernel": "kernel", "copy": "gpu_memcpy"}.get(kind, "cuda_runtime"), "name": name or kind,
                "pid": 0 if on_device else 1, "tid": 7 if on_device else 5, "ts": 1e6 * (begin + offset), "dur": 1e6 * (end - begin),
                "args": {"correlation": correlation} | ({"device": 0, "stream": 7} if on_device else {})}
        if untimed(event):
            del line["ts"], line["dur"]
        yield line


def write_trace(path, run, device=None, truncated=False, rest=(), head=(), **which):
    """As 'parity trace' writes it. rest: (seconds, calls) after recording stopped."""
    names = [] if device is False else [device or run.machine.name, "another GPU, which is not used"]
    lines = [{"ph": "M", "name": "device", "args": {"id": k, "name": name}} for k, name in enumerate(names)]
    lines += events_of(run, **which)
    lines += [{"ph": "C", "name": "count", "ts": 1e6 * t, "args": {"count": n}} for t, n in rest]
    lines += [] if truncated else [{"ph": "M", "name": "end", "args": {"events": len(run.events), "lost": 0, "open": 0}}]
    head = {"parity_trace": 2, "arguments": ["./simulated"], "process": 1, "rank": None, "host": "h", "processor": "CPU A", **dict(head)}
    path.write_text(json.dumps(head)[:-1] + ', "traceEvents": [\n' + ",\n".join(map(json.dumps, lines)) + (",\n" if truncated else "\n]}\n"))
    return path


def write_trace_with_rest(path, machine, step, recording, repetitions=400, pause=0.0):
    """Each call takes 'recording' longer while it is recorded. It waits every 40 steps; later, two of three such parts include other work."""
    run, wait = Run(dataclasses.replace(machine, recording=recording), queue=QUEUE), Op("wait")
    for _ in range(repetitions // 40):
        run.all(step, 40).do(wait)
    plain, rest = Run(dataclasses.replace(machine, call=machine.call + IDLE), queue=QUEUE), []
    for k in range(3 * repetitions // 40):
        plain.host += pause if k % 3 < 2 else 0
        plain.all(step, 40).do(wait)
        rest.append((run.now() + plain.events[-1][2], sum(e[0] == "wait" for e in plain.events)))
    return write_trace(path, run, rest=rest)


def write_pytorch(path, run):
    """As PyTorch's profiler writes it: times since the machine's start, other events in between, no grid sizes."""
    events = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}}]
    for e in events_of(run, offset=5e6):
        events += [e, {"ph": "X", "cat": "cpu_op", "name": "aten::mul", "pid": 1, "tid": 5, "ts": e["ts"], "dur": 0.1, "args": {}}]
    path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": run.machine.name}, {"id": 1, "name": "another"}], "displayTimeUnit": "ms",
                                "traceEvents": events, "traceName": "t.json"}))
    return path


COLUMNS = {"StringIds": "id INTEGER PRIMARY KEY, value TEXT NOT NULL", "TARGET_INFO_GPU": "id, name, smCount",
           "CUPTI_ACTIVITY_KIND_RUNTIME": "start, end, eventClass, globalTid, correlationId, nameId, returnValue",
           "CUPTI_ACTIVITY_KIND_KERNEL": "start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName, gridX, gridY, gridZ, blockX, blockY, blockZ",
           "CUPTI_ACTIVITY_KIND_MEMCPY": "start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind"}


def write_nsys(path, run, process=77):
    """The tables of Nsight Systems' export, according to its documentation ('SQLite Export Schema Reference'): no real export was available."""
    names, rows = {}, {"TARGET_INFO_GPU": [(0, run.machine.name, 132)]}
    for e in events_of(run):
        name = names.setdefault(e["name"], len(names) + 1)
        begin, end, number = round(1e3 * e["ts"]), round(1e3 * (e["ts"] + e["dur"])), e["args"]["correlation"]
        table = {"cuda_runtime": "RUNTIME", "kernel": "KERNEL", "gpu_memcpy": "MEMCPY"}[e["cat"]]
        rows.setdefault("CUPTI_ACTIVITY_KIND_" + table, []).append(
            (begin, end, 0, process << 24 | 5, number, name, 0) if table == "RUNTIME" else (begin, end, 0, 1, 7, number, process << 24, name, name, 20, 5, 1, 32, 4, 1)[: 15 if table == "KERNEL" else 9])
    rows["StringIds"] = [(n, name) for name, n in names.items()]
    data = sqlite3.connect(path)
    for table, lines in rows.items():
        data.execute(f"CREATE TABLE {table} ({COLUMNS[table]})")
        data.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(lines[0]))})", lines)
    data.commit()
    data.close()
    return path
