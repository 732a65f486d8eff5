# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame check: measures a plan, requires every result to be verified, and keeps each figure of merit.

    reframe -C yoursite.py -c jobs/reframe -r -S executable=$PWD/build-p100/parity --performance-report

Settings (-S): executable, plan (a plan file), gpus (GPUs of a node, for your site's resource _rfm_gpu; 0 for none), cpus (processors and
OpenMP threads), least_ratio (a portable kernel below this share of its native twin's speed fails), references (a report that an earlier
--report-file wrote on the same system: a throughput below 'slack' times its value fails).
"""
import json
import pathlib
import re

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_after, run_before, sanity_function, variable

NOISE = re.compile(r"^noise: (?P<noisy>\d+) of (?P<rows>\d+) results", re.M)
FIGURE = re.compile(r"^merit (?P<name>\S+/\S+) (?P<problem>\S+) (?P<metric>\S+) (?P<value>\S+) (?P<unit>\S+)$")


@rfm.simple_test
class ParityCheck(rfm.RunOnlyRegressionTest):
    descr = "Portable kernels and their native twins, verified and measured by Parity"
    plan = variable(str, value=str(pathlib.Path(__file__).resolve().parents[1] / "plans" / "cluster.toml"))
    gpus = variable(int, value=1)
    cpus = variable(int, value=8)
    least_ratio = variable(float, value=0.02)
    references = variable(str, value="")
    slack = variable(float, value=0.5)
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "parity"
    sourcesdir = None
    time_limit = "1h"

    @run_after("init")
    def set_command(self):
        self.executable_opts = ["measure", self.plan, "--quiet", "--output", "records.jsonl"]
        self.postrun_cmds = [f"{self.executable} findings --merit records.jsonl"]
        self.keep_files = ["records.jsonl"]
        self.num_cpus_per_task = self.cpus
        self.env_vars = {"OMP_NUM_THREADS": str(self.cpus), "OMP_PROC_BIND": "spread", "OMP_PLACES": "cores"}
        if self.gpus:
            self.num_gpus_per_node = self.gpus

    @sanity_function
    def every_row_is_verified(self):
        return sn.all([
            sn.assert_found(r"^merit rows - verified [1-9]\d* rows$", self.stdout, "no row was measured: see the job's standard error"),
            sn.assert_found(r"^merit rows - wrong 0 rows$", self.stdout, "a row failed its check"),
        ])

    @run_before("performance")
    def take_figures(self):
        text = (pathlib.Path(self.stagedir) / str(self.stdout)).read_text()
        place, earlier, limits = self.current_partition.fullname, self.earlier(), {}
        noise = NOISE.search(text)
        self.perf_variables["noisy rows"] = sn.make_performance_function(sn.defer(float(noise["noisy"]) if noise else 0.0), "rows")
        for match in filter(None, map(FIGURE.match, text.splitlines())):
            # ReFrame splits names at colons.
            name = " ".join(match.group("name", "problem", "metric")).replace(":", "=")
            self.perf_variables[name] = sn.make_performance_function(sn.defer(float(match["value"])), match["unit"])
            if match["metric"].startswith("ratio:"):
                limits[name] = (self.least_ratio, 0, None, match["unit"])
            elif match["metric"] == "throughput" and name in earlier:
                limits[name] = (earlier[name], self.slack - 1, None, match["unit"])
        self.reference = {place: limits}

    def earlier(self):
        """Figures of merit of an earlier run on this system and partition, by name."""
        if not self.references:
            return {}
        cases = [case for session in json.loads(pathlib.Path(self.references).read_text())["runs"] for case in session["testcases"]]
        found = [values for case in cases for values in (case.get("perfvalues") or {}).items()]
        place = self.current_partition.fullname + ":"
        return {name[len(place):]: value[0] for name, value in found if name.startswith(place)}
