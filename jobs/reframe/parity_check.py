# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame check: measures a plan, wants every row verified, and keeps each figure of merit.

    reframe -C yoursite.py -c jobs/reframe -r -S executable=$PWD/build-p100/parity --performance-report

Settings (-S): executable, plan (a plan file), gpus (GPUs of a node, for the resource _rfm_gpu of your site; 0 for none).
References, per system: -S reference=... in a check derived from this one; without them figures are only kept.
"""
import pathlib
import re

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_after, run_before, sanity_function, variable

FIGURE = re.compile(r"^merit (?P<name>\S+/\S+) (?P<problem>\S+) (?P<metric>\S+) (?P<value>\S+) (?P<unit>\S+)$")


@rfm.simple_test
class ParityCheck(rfm.RunOnlyRegressionTest):
    descr = "Portable kernels and their native twins, verified and measured by Parity"
    plan = variable(str, value=str(pathlib.Path(__file__).resolve().parents[1] / "plans" / "cluster.toml"))
    gpus = variable(int, value=1)
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
        for match in filter(None, map(FIGURE.match, text.splitlines())):
            # ReFrame splits names at colons.
            name = " ".join(match.group("name", "problem", "metric")).replace(":", "=")
            self.perf_variables[name] = sn.make_performance_function(sn.defer(float(match["value"])), match["unit"])
