// SPDX-License-Identifier: BSD-3-Clause
// Which ranks share a node.
#pragma once

namespace parity::runtime {

/// Nodes that the ranks are on; 1 for one process.
int nodes();
/// Whether that rank's node is this one's.
bool on_this_node(int rank);
/// Whether a node has more ranks than cores, so that they wait for each other's turn. On every rank alike.
bool crowded();

}  // namespace parity::runtime
