//! Names and addresses of pods.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use super::plan::Planned;
use crate::cluster::{Node, NodeId};

/// Names and addresses of pods, none twice.
pub(super) struct Numbering {
    taken: BTreeSet<(String, String)>,
    /// Addresses per node, a power of two.
    stride: u32,
    /// Pods with an address, by node.
    addressed: Vec<u32>,
}

impl Numbering {
    /// Each node has a block of `10.0.0.0/8`, as with `podCIDR`: 256 addresses or more.
    pub(super) fn new(nodes: &[Node]) -> Self {
        let most = nodes.iter().map(|node| node.max_pods).max().unwrap_or(0);
        let stride = most.saturating_add(2).clamp(256, 1 << 20).next_power_of_two();
        Self { taken: BTreeSet::new(), stride, addressed: vec![0; nodes.len()] }
    }

    /// `WORKLOAD-N`, or the name of a bare pod.
    pub(super) fn pod_name(&mut self, planned: &Planned<'_>, ordinal: usize) -> String {
        let mut name = match planned.kind.as_str() {
            "Pod" => planned.name.clone(),
            _ => format!("{}-{ordinal}", planned.name),
        };
        while !self.taken.insert((planned.namespace.clone(), name.clone())) {
            name.push_str(&format!("-{}", planned.kind.to_lowercase()));
        }
        name
    }

    /// The next address on `node`.
    pub(super) fn address(&mut self, node: NodeId) -> Ipv4Addr {
        let ordinal = &mut self.addressed[node.index()];
        *ordinal += 1;
        let block =
            u32::from(Ipv4Addr::new(10, 0, 0, 0)).wrapping_add(node.0.wrapping_mul(self.stride));
        Ipv4Addr::from(block.wrapping_add(*ordinal))
    }
}
