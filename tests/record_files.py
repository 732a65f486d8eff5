# SPDX-License-Identifier: BSD-3-Clause
"""Reads files of records in tests."""
import json


def records(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def rows(path):
    return [r for r in records(path) if r["type"] == "measurement"]


def key(r):
    return json.dumps([r["study"], r["variant"], r["tuning"], r["problem"]], sort_keys=True)
