# SPDX-License-Identifier: BSD-3-Clause
"""The HTML report of Parity's records: 'parity export' reads them, this package draws them."""
