//! Where cards, pods and nodes stand: in a row, in the order of the hops.
//!
//! Hops next to each other that share a pod share its box, and pods that share a node share its
//! box. A node that the path leaves and comes back to is drawn again.

use super::super::{HopName, NamedPath};
use super::card;
use crate::mesh::path::{Client, Path};

pub(super) const POD_PAD: f64 = 10.0;
pub(super) const POD_LABEL: f64 = 24.0;
pub(super) const NODE_PAD: f64 = 12.0;
pub(super) const NODE_LABEL: f64 = 28.0;
/// The width of the box for a client outside the cluster.
pub(super) const OUTSIDE_CLIENT: f64 = 84.0;
/// Between neighbours: room for a lock, "client TLS" and a port.
const GAP: f64 = 88.0;

/// A pod or a node around the cards between `x0` and `x1`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Frame {
    /// The name; `None` is a place outside the cluster, or a hop without a pod.
    pub(super) name: Option<String>,
    /// Its left edge.
    pub(super) x0: f64,
    /// Its right edge.
    pub(super) x1: f64,
}

/// Positions from left to right.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// The left edge of the box for a client outside, if there is one.
    pub(super) client: Option<f64>,
    /// The left edges of the cards, one per hop.
    pub(super) cards: Vec<f64>,
    /// The boxes around pods; those without a name are not drawn.
    pub(super) pods: Vec<Frame>,
    /// Index of the box that each card stands in.
    pub(super) pod_of: Vec<usize>,
    /// The boxes around nodes and around what is outside.
    pub(super) nodes: Vec<Frame>,
    /// The right edge of it all.
    pub(super) right: f64,
}

/// Places the hops of `named` from `left` on.
pub(super) fn layout(named: &NamedPath, left: f64) -> Layout {
    let mut layout = Layout { right: left, ..Layout::default() };
    let mut before: Option<&HopName> = None;
    if named.path.query.client == Client::External {
        layout.client = Some(layout.open_node(None));
        layout.right += OUTSIDE_CLIENT;
        before = Some(&OUTSIDE);
    }
    for name in &named.names {
        let same_node = before.is_some_and(|before| before.node == name.node);
        let same_pod = same_node && name.pod.is_some() && before.is_some_and(|b| b.pod == name.pod);
        layout.place(name, before.is_some(), same_node, same_pod);
        before = Some(name);
    }
    layout.close_pod();
    layout.close_node();
    layout
}

static OUTSIDE: HopName = HopName { pod: None, node: None, port: None };

impl Layout {
    /// The height of the tallest card in each box around a pod.
    pub(super) fn pod_heights(&self, path: &Path) -> Vec<f64> {
        let mut heights: Vec<f64> = vec![0.0; self.pods.len()];
        for (index, &pod) in self.pod_of.iter().enumerate() {
            heights[pod] = heights[pod].max(card::height(path, index));
        }
        heights
    }

    fn place(&mut self, name: &HopName, follows: bool, same_node: bool, same_pod: bool) {
        if follows && !same_pod {
            self.close_pod();
        }
        if follows && !same_node {
            self.close_node();
        }
        if follows {
            self.right += GAP;
        }
        if !same_node {
            self.open_node(name.node.clone());
        }
        if !same_pod {
            self.open_pod(name.pod.clone());
        }
        self.cards.push(self.right);
        self.pod_of.push(self.pods.len() - 1);
        self.right += card::WIDTH;
    }

    /// Returns where its content begins.
    fn open_node(&mut self, name: Option<String>) -> f64 {
        self.nodes.push(Frame { name, x0: self.right, x1: self.right });
        self.right += NODE_PAD;
        self.right
    }

    fn open_pod(&mut self, name: Option<String>) {
        let pad = if name.is_some() { POD_PAD } else { 0.0 };
        self.pods.push(Frame { name, x0: self.right, x1: self.right });
        self.right += pad;
    }

    fn close_pod(&mut self) {
        if let Some(pod) = self.pods.last_mut() {
            self.right += if pod.name.is_some() { POD_PAD } else { 0.0 };
            pod.x1 = self.right;
        }
    }

    fn close_node(&mut self) {
        if let Some(node) = self.nodes.last_mut() {
            self.right += NODE_PAD;
            node.x1 = self.right;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::path::{
        Addressed, DataPlane, Gateway, GatewayListener, PathQuery, WaypointFor, lookup,
    };

    /// client app, ztunnel, gateway, waypoint, ztunnel, server app on the nodes named.
    fn longest(nodes: [&str; 6]) -> Layout {
        let gateway = Gateway { use_waypoint: true, ..Gateway::new(GatewayListener::Http) };
        let client = Client::Pod(DataPlane::Ambient);
        let query = PathQuery {
            gateway: Some(gateway),
            waypoint: Some(WaypointFor::Service),
            ..PathQuery::new(client, DataPlane::Ambient, Addressed::Service)
        };
        let pods = ["client", "ztunnel-a", "gateway", "waypoint", "ztunnel-b", "server"];
        let names = pods.iter().zip(nodes).map(|(&pod, node)| HopName::pod(pod, node)).collect();
        layout(&NamedPath::new("", lookup(&query), names).unwrap(), 0.0)
    }

    fn names(frames: &[Frame]) -> Vec<&str> {
        frames.iter().filter_map(|frame| frame.name.as_deref()).collect()
    }

    #[test]
    fn neighbours_on_one_node_share_its_box_and_a_node_come_back_to_is_drawn_again() {
        assert_eq!(names(&longest(["a", "a", "a", "b", "b", "b"]).nodes), ["a", "b"]);
        assert_eq!(names(&longest(["a", "a", "b", "a", "b", "b"]).nodes), ["a", "b", "a", "b"]);
        assert_eq!(names(&longest(["a"; 6]).nodes), ["a"]);
    }

    #[test]
    fn boxes_hold_their_cards_and_leave_room_for_arrows() {
        for nodes in [["a", "a", "b", "c", "d", "d"], ["a"; 6], ["a", "a", "b", "a", "b", "b"]] {
            let layout = longest(nodes);
            for (&x, &pod) in layout.cards.iter().zip(&layout.pod_of) {
                let pod = &layout.pods[pod];
                assert!(pod.x0 < x && x + card::WIDTH < pod.x1, "{layout:?}");
                let holds = |node: &&Frame| node.x0 < pod.x0 && pod.x1 < node.x1;
                assert_eq!(layout.nodes.iter().filter(holds).count(), 1, "{layout:?}");
            }
            for pair in layout.cards.windows(2) {
                assert!(pair[1] - pair[0] >= card::WIDTH + GAP, "{layout:?}");
            }
            assert!(layout.nodes.iter().all(|node| node.x1 <= layout.right), "{layout:?}");
        }
    }
}
