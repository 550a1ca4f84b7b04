//! What a workload's pods ask of the scheduler, and where they end up.

use std::collections::BTreeMap;

use super::api::{
    self, NodeTerm, PodAffinityTerm, PodSpec, PreferredPodTerm, ResourceRequirements,
    TolerationOperator, TopologySpreadConstraint, WhenUnsatisfiable, sorted_labels,
};
use super::coverage::Assumption;
use super::gateways::namespace_labels;
use super::inventory::Namespaces;
use super::plan::{Planned, Replicas};
use super::resources::pod_requests;
use super::services::PlannedService;
use crate::cluster::scheduler::{
    HOSTNAME, Placement, PodTerm, Reason, Requests, Scheduler, SpreadConstraint, TemplateId,
    Unschedulable,
};
use crate::cluster::selector::{Requirement, Selector};
use crate::cluster::taint::Toleration;
use crate::cluster::{Node, NodeId};
use crate::scenario::problem::Problem;

/// Taints that the DaemonSet controller lets its pods tolerate.
const DAEMON_TOLERATIONS: [&str; 6] = [
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
    "node.kubernetes.io/disk-pressure",
    "node.kubernetes.io/memory-pressure",
    "node.kubernetes.io/pid-pressure",
    "node.kubernetes.io/unschedulable",
];

/// What ztunnel requests by its chart, and the CNI agent beside it: 200m and 512Mi, 100m and 100Mi.
const AMBIENT_AGENTS: [(&str, Requests); 2] = [
    ("ztunnel", Requests { millicores: 200, bytes: 512 << 20 }),
    ("istio-cni-node", Requests { millicores: 100, bytes: 100 << 20 }),
];

impl Planned<'_> {
    /// The labels of its pods, sorted by key.
    pub(super) fn labels(&self) -> Vec<(String, String)> {
        sorted_labels(&self.template.metadata.labels)
    }

    /// What its pods ask of the scheduler, with the `sidecar` they get.
    pub(super) fn placement(
        &self,
        sidecar: Option<&ResourceRequirements>,
        services: &[PlannedService<'_>],
        namespaces: &Namespaces,
    ) -> Placement {
        let spec = &self.template.spec;
        let (requests, scored_requests) = pod_requests(spec, sidecar);
        let terms = |terms: &[PodAffinityTerm]| -> Vec<PodTerm> {
            terms.iter().map(|term| self.pod_term(term, namespaces)).collect()
        };
        Placement {
            namespace: self.namespace.clone(),
            labels: self.labels(),
            requests,
            scored_requests,
            node_name: spec.node_name.clone(),
            node_terms: node_terms(spec),
            preferred_nodes: preferred_nodes(spec),
            tolerations: self.tolerations(),
            affinity: terms(&spec.affinity.pod_affinity.required),
            anti_affinity: terms(&spec.affinity.pod_anti_affinity.required),
            preferred_pods: self.preferred_pods(namespaces),
            spread: spread(spec),
            default_spread: self.default_spread(services),
        }
    }

    fn pod_term(&self, term: &PodAffinityTerm, namespaces: &Namespaces) -> PodTerm {
        let mut named = term.namespaces.clone();
        let selected = match term.namespace_selector.as_ref().map(Selector::from) {
            None if named.is_empty() => Some(vec![self.namespace.clone()]),
            None => Some(named),
            Some(selector) if selector.requirements.is_empty() => None,
            Some(selector) => {
                let fits = |name: &&String| selector.matches(&namespace_labels(name, namespaces));
                named.extend(namespaces.keys().filter(fits).cloned());
                Some(named)
            }
        };
        PodTerm {
            selector: term.label_selector.as_ref().map(Selector::from),
            namespaces: selected,
            topology_key: term.topology_key.clone(),
        }
    }

    fn preferred_pods(&self, namespaces: &Namespaces) -> Vec<(i32, PodTerm)> {
        let affinity = &self.template.spec.affinity;
        let weighted = |terms: &[PreferredPodTerm], sign: i32| -> Vec<_> {
            let term = |preferred: &PreferredPodTerm| {
                let term = self.pod_term(&preferred.pod_affinity_term, namespaces);
                (sign * i32::from(preferred.weight), term)
            };
            terms.iter().map(term).collect()
        };
        let mut preferred = weighted(&affinity.pod_affinity.preferred, 1);
        preferred.extend(weighted(&affinity.pod_anti_affinity.preferred, -1));
        preferred
    }

    fn tolerations(&self) -> Vec<Toleration> {
        let written = self.template.spec.tolerations.iter().map(Toleration::from);
        let daemon = DAEMON_TOLERATIONS.iter().filter(|_| self.replicas == Replicas::PerNode);
        written.chain(daemon.map(|key| Toleration::of_key(*key))).collect()
    }

    /// The labels that its Services and its controller select together
    /// (`helper.DefaultSelector`); nothing for pods that neither selects, nor for DaemonSets.
    fn default_spread(&self, services: &[PlannedService<'_>]) -> Option<Selector> {
        if self.replicas == Replicas::PerNode {
            return None;
        }
        let labels = self.labels();
        let of_services = services
            .iter()
            .filter(|service| {
                service.namespace == self.namespace && service.selector.matches(&labels)
            })
            .map(|service| &service.selector);
        let requirements: Vec<Requirement> = of_services
            .chain(&self.selector)
            .flat_map(|selector| selector.requirements.iter().cloned())
            .collect();
        (!requirements.is_empty()).then_some(Selector { requirements })
    }
}

/// `nodeSelector` and required node affinity as selectors of which one must hold.
fn node_terms(spec: &PodSpec) -> Vec<Selector> {
    let always = Selector::of_labels(&spec.node_selector);
    let terms = &spec.affinity.node_affinity.required.node_selector_terms;
    if terms.is_empty() {
        return if always.requirements.is_empty() { Vec::new() } else { vec![always] };
    }
    let with_labels = |term: &NodeTerm| {
        let mut selector = Selector::from(term);
        selector.requirements.extend(always.requirements.iter().cloned());
        selector
    };
    terms.iter().map(with_labels).collect()
}

impl From<&NodeTerm> for Selector {
    /// `metadata.name` is the only field of a node that a term may name; its label tells the same.
    fn from(term: &NodeTerm) -> Self {
        let mut requirements: Vec<_> =
            term.match_expressions.iter().map(Requirement::from).collect();
        requirements.extend(
            term.match_fields
                .iter()
                .map(|field| Requirement { key: HOSTNAME.to_owned(), ..Requirement::from(field) }),
        );
        Self { requirements }
    }
}

fn preferred_nodes(spec: &PodSpec) -> Vec<(u32, Selector)> {
    let preferred = spec.affinity.node_affinity.preferred.iter();
    preferred.map(|term| (term.weight, Selector::from(&term.preference))).collect()
}

fn spread(spec: &PodSpec) -> Vec<SpreadConstraint> {
    let constraint = |written: &TopologySpreadConstraint| SpreadConstraint {
        max_skew: written.max_skew.max(1),
        topology_key: written.topology_key.clone(),
        required: written.when_unsatisfiable == WhenUnsatisfiable::DoNotSchedule,
        selector: written.label_selector.as_ref().map(Selector::from),
        min_domains: written.min_domains,
    };
    spec.topology_spread_constraints.iter().map(constraint).collect()
}

impl From<&api::Toleration> for Toleration {
    fn from(written: &api::Toleration) -> Self {
        let is_equal = written.operator == TolerationOperator::Equal;
        Self {
            key: (!written.key.is_empty()).then(|| written.key.clone()),
            value: is_equal.then(|| written.value.clone()),
            effect: written.effect.map(Into::into),
        }
    }
}

/// Where the pods of each workload run.
pub(super) struct Placed {
    /// One list of nodes per workload, in the order of the pods.
    pub(super) nodes: Vec<Vec<NodeId>>,
    /// Pods that found no node, by workload.
    pub(super) warnings: Vec<Problem>,
}

/// Places the pods of `workloads`, whose `placements` stand at the same positions, on nodes that
/// each hold a pod with the requests of each of `agents`.
///
/// First those that run already, then what stands on every node, then the rest in the order of
/// the files: controllers create pods side by side, so any order is as true as another.
pub(super) fn place(
    nodes: &[Node],
    workloads: &[Planned<'_>],
    placements: &[Placement],
    agents: &[Requests],
) -> Placed {
    let mut scheduler = Scheduler::new(nodes);
    reserve(&mut scheduler, nodes, agents);
    let mut placing = Placing {
        nodes,
        templates: placements.iter().map(|placement| scheduler.add(placement.clone())).collect(),
        placed: Placed { nodes: vec![Vec::new(); workloads.len()], warnings: Vec::new() },
        scheduler,
    };
    for (index, workload) in workloads.iter().enumerate() {
        placing.bind_observed(index, workload);
    }
    for (index, workload) in workloads.iter().enumerate() {
        if workload.replicas == Replicas::PerNode {
            placing.place_on_every_node(index, workload);
        }
    }
    for (index, workload) in workloads.iter().enumerate() {
        if let Replicas::Count(replicas) = workload.replicas {
            placing.place_replicas(index, workload, replicas);
        }
    }
    placing.placed
}

/// What ambient mode's agents request on each node; `ztunnel` is the model's own, if it has one.
pub(super) fn ambient_agents(ztunnel: Option<&PodSpec>, has_cni: bool) -> Vec<Requests> {
    let ztunnel = ztunnel.map_or(AMBIENT_AGENTS[0].1, |spec| pod_requests(spec, None).0);
    let cni = (!has_cni).then_some(AMBIENT_AGENTS[1].1);
    std::iter::once(ztunnel).chain(cni).collect()
}

/// The assumption that [`ambient_agents`] makes where the model has no ztunnel.
pub(super) fn assume_agents() -> Assumption {
    Assumption {
        subject: "nodes".to_owned(),
        assumed: "ztunnel requests 200m and 512Mi, istio-cni 100m and 100Mi on each".to_owned(),
        because: "pods are in ambient mode, but the model has no ztunnel".to_owned(),
        instead: "add the DaemonSet `ztunnel`".to_owned(),
    }
}

fn reserve(scheduler: &mut Scheduler<'_>, nodes: &[Node], agents: &[Requests]) {
    for &requests in agents {
        let placement = Placement { requests, scored_requests: requests, ..Placement::default() };
        let template = scheduler.add(placement);
        (0..nodes.len()).for_each(|node| scheduler.bind(template, NodeId(node as u32)));
    }
}

struct Placing<'n> {
    nodes: &'n [Node],
    scheduler: Scheduler<'n>,
    templates: Vec<TemplateId>,
    placed: Placed,
}

impl Placing<'_> {
    fn bind_observed(&mut self, index: usize, workload: &Planned<'_>) {
        let most = match workload.replicas {
            Replicas::Count(replicas) => replicas as usize,
            Replicas::PerNode => self.nodes.len(),
        };
        let by_name: BTreeMap<&str, usize> =
            self.nodes.iter().enumerate().map(|(n, node)| (node.name.as_str(), n)).collect();
        let known = workload.observed.iter().filter_map(|name| by_name.get(name.as_str()));
        for &node in known.take(most) {
            let node = NodeId(node as u32);
            self.scheduler.bind(self.templates[index], node);
            self.placed.nodes[index].push(node);
        }
    }

    fn place_on_every_node(&mut self, index: usize, workload: &Planned<'_>) {
        let mut refused: Vec<(Reason, usize)> = Vec::new();
        for node in 0..self.nodes.len() {
            let node = NodeId(node as u32);
            if self.placed.nodes[index].contains(&node) {
                continue;
            }
            match self.scheduler.place_on(self.templates[index], node) {
                Ok(()) => self.placed.nodes[index].push(node),
                // A node that the pod is not meant for is none that lacks it.
                Err(reasons) if reasons.iter().any(|reason| reason.is_mismatch()) => {}
                Err(reasons) => reasons.into_iter().for_each(|reason| count(&mut refused, reason)),
            }
        }
        if !refused.is_empty() {
            let reason = Unschedulable { nodes: self.nodes.len(), reasons: refused };
            self.warn(workload, format!("has pods that are Pending: {reason}"));
        }
    }

    fn place_replicas(&mut self, index: usize, workload: &Planned<'_>, replicas: u32) {
        for running in self.placed.nodes[index].len()..replicas as usize {
            match self.scheduler.place(self.templates[index]) {
                Ok(node) => self.placed.nodes[index].push(node),
                // The next pod asks for the same of the same nodes.
                Err(reason) => {
                    let pending = replicas as usize - running;
                    let words = format!("has {pending} of {replicas} pods Pending: {reason}");
                    return self.warn(workload, words);
                }
            }
        }
    }

    fn warn(&mut self, workload: &Planned<'_>, sentence: String) {
        self.placed.warnings.push(workload.warning(sentence));
    }
}

fn count(refused: &mut Vec<(Reason, usize)>, reason: Reason) {
    match refused.iter_mut().find(|(known, _)| *known == reason) {
        Some((_, nodes)) => *nodes += 1,
        None => refused.push((reason, 1)),
    }
}
