//! Places: the nodes that share the value of a label, and the pods counted there.

use super::super::Node;
use super::super::selector::label;

/// The places that one node label makes.
#[derive(Clone, Debug)]
pub(super) struct Topology {
    pub(super) key: String,
    /// The place of each node; `None` if it lacks the label.
    pub(super) place_of_node: Vec<Option<usize>>,
    pub(super) places: usize,
}

impl Topology {
    pub(super) fn new(key: &str, nodes: &[Node]) -> Self {
        let mut values: Vec<&str> =
            nodes.iter().filter_map(|node| label(&node.labels, key)).collect();
        values.sort_unstable();
        values.dedup();
        let place = |node: &Node| values.binary_search(&label(&node.labels, key)?).ok();
        Self {
            key: key.to_owned(),
            place_of_node: nodes.iter().map(place).collect(),
            places: values.len(),
        }
    }
}

/// Pods that count, by the workloads (templates) they belong to, and where they are counted.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    /// Position in the scheduler's topologies.
    pub(super) topology: usize,
    /// Positions of the templates whose pods count.
    pub(super) counted: Vec<usize>,
}

/// How many pods count at each place.
#[derive(Debug)]
pub(super) struct Counts<'s> {
    pub(super) topology: &'s Topology,
    /// Indexed by place.
    pub(super) pods: Vec<u32>,
}

impl Counts<'_> {
    /// The pods at the place of `node`; `None` if the node lacks the label.
    pub(super) fn at(&self, node: usize) -> Option<u32> {
        self.topology.place_of_node[node].map(|place| self.pods[place])
    }

    /// Whether any pod counts at the place of `node`.
    pub(super) fn any_at(&self, node: usize) -> bool {
        self.at(node).is_some_and(|pods| pods > 0)
    }
}
