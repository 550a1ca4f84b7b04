//! Where pods go: kube-scheduler's default plugins, and its sentence when none fits.
//!
//! A pod passes the *filters* of a node (name, taints, node affinity, resources and pod count,
//! topology spread, pod affinity); among the nodes left the *scores* decide (their weights are in
//! `score.rs`). The same code serves the start of a run and pods that a rollout adds.
//!
//! Source: kubernetes/kubernetes 1.34, `pkg/scheduler/framework/plugins` and
//! `apis/config/v1/default_plugins.go`; `pkg/scheduler/schedule_one.go` for which nodes are looked
//! at. Deliberately different: equal scores go to the node looked at first instead of a random
//! one. Left out: host ports, volumes, images, preemption and priorities, extended resources.

mod filter;
mod placement;
mod score;
#[cfg(test)]
mod tests;
mod topology;

use std::fmt;

pub use filter::Reason;
pub use placement::{Placement, PodTerm, Requests, SpreadConstraint};

use super::{Node, NodeId};
use placement::SpreadConstraint as Spread;
use topology::{Counter, Counts, Topology};

/// The label that names a node.
pub const HOSTNAME: &str = "kubernetes.io/hostname";
/// The label that names a node's zone.
pub const ZONE: &str = "topology.kubernetes.io/zone";

/// Names a [`Placement`] that a [`Scheduler`] knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TemplateId(usize);

/// Why a pod stays Pending, in kube-scheduler's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unschedulable {
    /// Nodes of the cluster.
    pub nodes: usize,
    /// How many nodes were ruled out for each reason, sorted by the reason's words.
    pub reasons: Vec<(Reason, usize)>,
}

impl fmt::Display for Unschedulable {
    /// `0/3 nodes are available: 1 Insufficient cpu, 2 Too many pods.`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<String> =
            self.reasons.iter().map(|(reason, nodes)| format!("{nodes} {reason}")).collect();
        words.sort();
        write!(f, "0/{} nodes are available: {}.", self.nodes, words.join(", "))
    }
}

/// What stands on a node.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    requests: Requests,
    scored_requests: Requests,
    pods: u32,
}

/// A placement with the pods placed by it and everything its rules count.
#[derive(Clone, Debug)]
struct Template {
    placement: Placement,
    spread: Vec<Spread>,
    /// Its pods on each node.
    pods_on_node: Vec<u32>,
    rules: Rules,
    /// Templates that its rules have taken note of.
    known_templates: usize,
}

/// What the rules of a template count; one entry per rule of the placement.
#[derive(Clone, Debug, Default)]
struct Rules {
    spread: Vec<Counter>,
    affinity: Vec<Counter>,
    anti_affinity: Vec<Counter>,
    /// Pods that do not want this one near.
    repelled_by: Vec<Counter>,
    /// Weights of preferred affinities, both ways.
    preferred: Vec<(i64, Counter)>,
}

/// The scheduler of one cluster with all it has placed.
#[derive(Clone, Debug)]
pub struct Scheduler<'n> {
    nodes: &'n [Node],
    usage: Vec<Usage>,
    templates: Vec<Template>,
    topologies: Vec<Topology>,
    /// All nodes in the order in which they are looked at.
    order: Vec<usize>,
    /// Where in `order` the next search starts.
    start: usize,
}

impl<'n> Scheduler<'n> {
    /// A scheduler of empty `nodes`. Topologies are read from their labels.
    pub fn new(nodes: &'n [Node]) -> Self {
        Self {
            nodes,
            usage: vec![Usage::default(); nodes.len()],
            templates: Vec::new(),
            topologies: Vec::new(),
            order: zone_by_zone(nodes),
            start: 0,
        }
    }

    /// Takes note of what pods of one workload ask for.
    pub fn add(&mut self, placement: Placement) -> TemplateId {
        let spread = placement.spread_in_force();
        let rules = self.rules_of(&placement, &spread);
        let pods_on_node = vec![0; self.nodes.len()];
        self.templates.push(Template {
            placement,
            spread,
            pods_on_node,
            rules,
            known_templates: 0,
        });
        TemplateId(self.templates.len() - 1)
    }

    /// Places one pod and keeps room for it.
    ///
    /// # Errors
    ///
    /// [`Unschedulable`] if no node takes it; nothing changes then.
    pub fn place(&mut self, template: TemplateId) -> Result<NodeId, Unschedulable> {
        self.take_note_of_templates(template);
        let node = self.choose(template)?;
        self.bind(template, node);
        Ok(node)
    }

    /// Places one pod of a DaemonSet on `node`.
    ///
    /// # Errors
    ///
    /// Why the node does not take it; nothing changes then.
    pub fn place_on(&mut self, template: TemplateId, node: NodeId) -> Result<(), Vec<Reason>> {
        self.take_note_of_templates(template);
        self.filter(template).reasons_against(node.index()).map_or(Ok(()), Err)?;
        self.bind(template, node);
        Ok(())
    }

    /// Notes a pod that runs on `node` already, whether it fits or not.
    pub fn bind(&mut self, template: TemplateId, node: NodeId) {
        let template = &mut self.templates[template.0];
        template.pods_on_node[node.index()] += 1;
        let usage = &mut self.usage[node.index()];
        usage.requests += template.placement.requests;
        usage.scored_requests += template.placement.scored_requests;
        usage.pods += 1;
    }

    /// Forgets one pod of `template` on `node`, which [`Scheduler::bind`] or
    /// [`Scheduler::place`] put there.
    pub fn release(&mut self, template: TemplateId, node: NodeId) {
        let template = &mut self.templates[template.0];
        template.pods_on_node[node.index()] -= 1;
        let usage = &mut self.usage[node.index()];
        usage.requests -= template.placement.requests;
        usage.scored_requests -= template.placement.scored_requests;
        usage.pods -= 1;
    }

    /// CPU and memory requested by the pods on `node`.
    pub fn requested(&self, node: NodeId) -> Requests {
        self.usage[node.index()].requests
    }

    /// Pods on `node`.
    pub fn pods(&self, node: NodeId) -> u32 {
        self.usage[node.index()].pods
    }

    /// Looks for enough nodes that may take the pod, and chooses the best of them.
    fn choose(&mut self, template: TemplateId) -> Result<NodeId, Unschedulable> {
        let filter = self.filter(template);
        let enough = nodes_to_find(self.nodes.len());
        let mut reasons: Vec<(Reason, usize)> = Vec::new();
        let mut feasible = Vec::new();
        let mut looked_at = 0;
        for &node in self.order[self.start..].iter().chain(&self.order[..self.start]) {
            if feasible.len() == enough {
                break;
            }
            looked_at += 1;
            match filter.reasons_against(node) {
                None => feasible.push(node),
                Some(against) => against.into_iter().for_each(|why| count(&mut reasons, why)),
            }
        }
        let best = self.best_of(template, &feasible);
        self.start = (self.start + looked_at) % self.nodes.len().max(1);
        best.ok_or(Unschedulable { nodes: self.nodes.len(), reasons })
    }

    fn rules_of(&mut self, placement: &Placement, spread: &[Spread]) -> Rules {
        let mut counter = |key: &str| Counter { topology: self.topology(key), counted: vec![] };
        Rules {
            spread: spread.iter().map(|rule| counter(&rule.topology_key)).collect(),
            affinity: placement.affinity.iter().map(|term| counter(&term.topology_key)).collect(),
            anti_affinity: placement
                .anti_affinity
                .iter()
                .map(|term| counter(&term.topology_key))
                .collect(),
            repelled_by: Vec::new(),
            preferred: placement
                .preferred_pods
                .iter()
                .map(|(weight, term)| (i64::from(*weight), counter(&term.topology_key)))
                .collect(),
        }
    }

    fn topology(&mut self, key: &str) -> usize {
        if let Some(known) = self.topologies.iter().position(|topology| topology.key == key) {
            return known;
        }
        self.topologies.push(Topology::new(key, self.nodes));
        self.topologies.len() - 1
    }

    /// Lets the rules of `template` count the pods of templates added since the last call.
    fn take_note_of_templates(&mut self, TemplateId(own): TemplateId) {
        for other in self.templates[own].known_templates..self.templates.len() {
            self.count_pods_of(own, other);
            self.count_wishes_of(own, other);
        }
        self.templates[own].known_templates = self.templates.len();
    }

    /// Rules of `own` that speak of the pods of `other`.
    fn count_pods_of(&mut self, own: usize, other: usize) {
        let mut rules = std::mem::take(&mut self.templates[own].rules);
        let Template { placement, spread, .. } = &self.templates[own];
        let them = &self.templates[other].placement;
        for (rule, counter) in spread.iter().zip(&mut rules.spread) {
            let selected = rule.selector.as_ref().is_some_and(|s| s.matches(&them.labels));
            if selected && them.namespace == placement.namespace {
                counter.counted.push(other);
            }
        }
        // kube-scheduler counts the pods that satisfy all affinity terms at once.
        if placement.affinity.iter().all(|term| them.is_meant_by(term)) {
            rules.affinity.iter_mut().for_each(|counter| counter.counted.push(other));
        }
        for (term, counter) in placement.anti_affinity.iter().zip(&mut rules.anti_affinity) {
            if them.is_meant_by(term) {
                counter.counted.push(other);
            }
        }
        for ((_, term), (_, counter)) in placement.preferred_pods.iter().zip(&mut rules.preferred) {
            if them.is_meant_by(term) {
                counter.counted.push(other);
            }
        }
        self.templates[own].rules = rules;
    }

    /// Rules of `other` that speak of the pods of `own`.
    fn count_wishes_of(&mut self, own: usize, other: usize) {
        let us = &self.templates[own].placement;
        let them = &self.templates[other].placement;
        let meant = |terms: &[PodTerm]| -> Vec<String> {
            terms.iter().filter(|t| us.is_meant_by(t)).map(|t| t.topology_key.clone()).collect()
        };
        let repelling = meant(&them.anti_affinity);
        // A required affinity of a running pod is worth 1 (`hardPodAffinityWeight`).
        let mut wishes: Vec<(i64, String)> =
            meant(&them.affinity).into_iter().map(|key| (1, key)).collect();
        wishes.extend(
            them.preferred_pods
                .iter()
                .filter(|(_, term)| us.is_meant_by(term))
                .map(|(weight, term)| (i64::from(*weight), term.topology_key.clone())),
        );
        for key in repelling {
            let counter = Counter { topology: self.topology(&key), counted: vec![other] };
            self.templates[own].rules.repelled_by.push(counter);
        }
        for (weight, key) in wishes {
            let counter = Counter { topology: self.topology(&key), counted: vec![other] };
            self.templates[own].rules.preferred.push((weight, counter));
        }
    }

    /// How many pods `counter` counts at each place, on the nodes that `is_eligible`.
    fn counts(&self, counter: &Counter, is_eligible: impl Fn(usize) -> bool) -> Counts<'_> {
        let topology = &self.topologies[counter.topology];
        let mut pods = vec![0; topology.places];
        for (node, place) in topology.place_of_node.iter().enumerate() {
            if let Some(place) = place.filter(|_| is_eligible(node)) {
                pods[place] += self.pods_of(&counter.counted, node);
            }
        }
        Counts { topology, pods }
    }

    fn pods_of(&self, templates: &[usize], node: usize) -> u32 {
        templates.iter().map(|&template| self.templates[template].pods_on_node[node]).sum()
    }
}

/// How many suitable nodes are enough to choose from: all of fewer than 100, then a share that
/// falls from 50 % to 5 % (`numFeasibleNodesToFind`).
fn nodes_to_find(nodes: usize) -> usize {
    const LEAST: usize = 100;
    if nodes < LEAST {
        return nodes;
    }
    let percentage = 50_usize.saturating_sub(nodes / 125).max(5);
    (nodes * percentage / 100).max(LEAST)
}

/// Positions of `nodes`, one of each zone in turn (`node_tree.go`).
fn zone_by_zone(nodes: &[Node]) -> Vec<usize> {
    let zones = Topology::new(ZONE, nodes);
    let mut turn_of_zone = vec![0; zones.places + 1];
    let mut turns: Vec<(usize, usize)> = Vec::with_capacity(nodes.len());
    for (node, zone) in zones.place_of_node.iter().enumerate() {
        let turn = &mut turn_of_zone[zone.unwrap_or(zones.places)];
        turns.push((*turn, node));
        *turn += 1;
    }
    turns.sort_unstable();
    turns.into_iter().map(|(_, node)| node).collect()
}

fn count(reasons: &mut Vec<(Reason, usize)>, reason: Reason) {
    match reasons.iter_mut().find(|(known, _)| *known == reason) {
        Some((_, nodes)) => *nodes += 1,
        None => reasons.push((reason, 1)),
    }
}
