//! Which nodes may take a pod at all.

use std::fmt;

use super::super::taint::{Taint, TaintEffect};
use super::topology::Counts;
use super::{Scheduler, Template, TemplateId};

/// Why a node does not take a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// `spec.nodeName` names another node.
    OtherNode,
    /// A taint without a toleration.
    Taint,
    /// Its labels do not fit `nodeSelector` or node affinity.
    NodeAffinity,
    /// `maxPods` is reached.
    TooManyPods,
    /// Not enough allocatable CPU is left.
    Cpu,
    /// Not enough allocatable memory is left.
    Memory,
    /// A required topology spread would be broken.
    TopologySpread,
    /// It lacks the label of a required topology spread.
    TopologyLabel,
    /// No pod that must be near is near.
    PodAffinity,
    /// A pod that must be far is near.
    PodAntiAffinity,
    /// A pod near by must be far from this one.
    ExistingPodAntiAffinity,
}

impl Reason {
    /// Whether the pod is not meant for the node, as opposed to finding no room on it.
    pub const fn is_mismatch(self) -> bool {
        matches!(self, Self::OtherNode | Self::Taint | Self::NodeAffinity)
    }
}

impl fmt::Display for Reason {
    /// kube-scheduler's words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OtherNode => "node(s) didn't match the requested node name",
            Self::Taint => "node(s) had untolerated taint(s)",
            Self::NodeAffinity => "node(s) didn't match Pod's node affinity/selector",
            Self::TooManyPods => "Too many pods",
            Self::Cpu => "Insufficient cpu",
            Self::Memory => "Insufficient memory",
            Self::TopologySpread => "node(s) didn't match pod topology spread constraints",
            Self::TopologyLabel => {
                "node(s) didn't match pod topology spread constraints (missing required label)"
            }
            Self::PodAffinity => "node(s) didn't match pod affinity rules",
            Self::PodAntiAffinity => "node(s) didn't match pod anti-affinity rules",
            Self::ExistingPodAntiAffinity => {
                "node(s) didn't satisfy existing pods anti-affinity rules"
            }
        })
    }
}

/// A required spread, with what is counted so far.
struct SpreadLimit<'s> {
    counts: Counts<'s>,
    /// Most pods that a place may hold before the one to be placed.
    most: u32,
}

/// The filters for the next pod of one template.
pub(super) struct Filter<'s> {
    scheduler: &'s Scheduler<'s>,
    template: &'s Template,
    spread: Vec<SpreadLimit<'s>>,
    affinity: Vec<Counts<'s>>,
    /// No pod satisfies the affinity yet, but this one does: it may go first.
    is_first_of_its_kind: bool,
    anti_affinity: Vec<Counts<'s>>,
    repelled_by: Vec<Counts<'s>>,
}

impl Scheduler<'_> {
    pub(super) fn filter(&self, TemplateId(template): TemplateId) -> Filter<'_> {
        let template = &self.templates[template];
        let rules = &template.rules;
        let everywhere = |_| true;
        let count = |counters: &[super::Counter]| -> Vec<Counts<'_>> {
            counters.iter().map(|counter| self.counts(counter, everywhere)).collect()
        };
        let affinity = count(&rules.affinity);
        let nobody = affinity.iter().all(|counts| counts.pods.iter().all(|&pods| pods == 0));
        let placement = &template.placement;
        Filter {
            scheduler: self,
            template,
            spread: self.spread_limits(template),
            affinity,
            is_first_of_its_kind: nobody
                && placement.affinity.iter().all(|term| placement.is_meant_by(term)),
            anti_affinity: count(&rules.anti_affinity),
            repelled_by: count(&rules.repelled_by),
        }
    }

    fn spread_limits(&self, template: &Template) -> Vec<SpreadLimit<'_>> {
        let required = template.spread.iter().zip(&template.rules.spread);
        let required: Vec<_> = required.filter(|(rule, _)| rule.required).collect();
        let is_eligible = |node: usize| {
            let has_label = |topology: usize| self.topologies[topology].place_of_node[node];
            template.placement.selects_node(&self.nodes[node].labels)
                && required.iter().all(|(_, counter)| has_label(counter.topology).is_some())
        };
        let limit = |(rule, counter): &(&super::Spread, &super::Counter)| {
            let counts = self.counts(counter, is_eligible);
            let places = eligible_places(&counts, self.nodes.len(), is_eligible);
            let too_few = rule.min_domains.is_some_and(|least| places.len() < least as usize);
            let fewest = places.iter().map(|&place| counts.pods[place]).min();
            let fewest = if too_few { 0 } else { fewest.unwrap_or(0) };
            let labels = &template.placement.labels;
            let itself = rule.selector.as_ref().is_some_and(|s| s.matches(labels));
            let most = fewest.saturating_add(rule.max_skew).saturating_sub(u32::from(itself));
            SpreadLimit { counts, most }
        };
        required.iter().map(limit).collect()
    }
}

fn eligible_places(
    counts: &Counts<'_>,
    nodes: usize,
    is_eligible: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let place = |node| counts.topology.place_of_node[node];
    let mut places: Vec<usize> = (0..nodes).filter(|&n| is_eligible(n)).filter_map(place).collect();
    places.sort_unstable();
    places.dedup();
    places
}

impl Filter<'_> {
    /// Why `node` does not take the pod: all that the first objecting plugin says; `None` if it
    /// does.
    pub(super) fn reasons_against(&self, node: usize) -> Option<Vec<Reason>> {
        let one = |reason: Option<Reason>| reason.map(|reason| vec![reason]);
        one(self.mismatch(node))
            .or_else(|| self.lack_of_room(node))
            .or_else(|| one(self.broken_spread(node)))
            .or_else(|| one(self.broken_affinity(node)))
    }

    fn mismatch(&self, node: usize) -> Option<Reason> {
        let placement = &self.template.placement;
        let candidate = &self.scheduler.nodes[node];
        let is_bound = placement.node_name.is_some();
        if placement.node_name.as_ref().is_some_and(|name| *name != candidate.name) {
            return Some(Reason::OtherNode);
        }
        let repels = |taint: &Taint| {
            taint.effect != TaintEffect::PreferNoSchedule
                && !placement.tolerations.iter().any(|toleration| toleration.covers(taint))
        };
        if !is_bound && candidate.taints.iter().any(repels) {
            return Some(Reason::Taint);
        }
        (!placement.selects_node(&candidate.labels)).then_some(Reason::NodeAffinity)
    }

    fn lack_of_room(&self, node: usize) -> Option<Vec<Reason>> {
        let asked = self.template.placement.requests;
        let used = self.scheduler.usage[node];
        let has = &self.scheduler.nodes[node];
        let exceeds =
            |asked: u64, used: u64, has: u64| asked > 0 && asked > has.saturating_sub(used);
        let mut lacking = Vec::new();
        if used.pods >= has.max_pods {
            lacking.push(Reason::TooManyPods);
        }
        if exceeds(asked.millicores, used.requests.millicores, has.allocatable_millicores) {
            lacking.push(Reason::Cpu);
        }
        if exceeds(asked.bytes, used.requests.bytes, has.allocatable_bytes) {
            lacking.push(Reason::Memory);
        }
        (!lacking.is_empty()).then_some(lacking)
    }

    fn broken_spread(&self, node: usize) -> Option<Reason> {
        self.spread.iter().find_map(|limit| match limit.counts.at(node) {
            None => Some(Reason::TopologyLabel),
            Some(pods) if pods > limit.most => Some(Reason::TopologySpread),
            Some(_) => None,
        })
    }

    fn broken_affinity(&self, node: usize) -> Option<Reason> {
        let is_near = |counts: &Counts<'_>| {
            counts.any_at(node) || (self.is_first_of_its_kind && counts.at(node).is_some())
        };
        if !self.affinity.iter().all(is_near) {
            Some(Reason::PodAffinity)
        } else if self.anti_affinity.iter().any(|counts| counts.any_at(node)) {
            Some(Reason::PodAntiAffinity)
        } else if self.repelled_by.iter().any(|counts| counts.any_at(node)) {
            Some(Reason::ExistingPodAntiAffinity)
        } else {
            None
        }
    }
}
