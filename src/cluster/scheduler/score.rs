//! Which of the nodes that may take a pod takes it.
//!
//! Each plugin gives 0 to 100, in whole numbers as kube-scheduler computes them; the sums decide.
//! Weights are those of the default profile:
//!
//! | plugin | weight | prefers |
//! |---|---|---|
//! | TaintToleration | 3 | nodes with fewer untolerated `PreferNoSchedule` taints |
//! | NodeAffinity | 2 | nodes that preferred terms select |
//! | PodTopologySpread | 2 | places with fewer pods of the kind |
//! | InterPodAffinity | 2 | places near wanted pods, far from unwanted ones |
//! | NodeResourcesFit | 1 | nodes with more left (LeastAllocated) |
//! | NodeResourcesBalancedAllocation | 1 | nodes whose CPU and memory fill up alike |

use super::super::NodeId;
use super::super::taint::{Taint, TaintEffect};
use super::placement::Requests;
use super::topology::Counter;
use super::{HOSTNAME, Scheduler, Spread, Template, TemplateId};

/// The best a plugin gives (`framework.MaxNodeScore`).
const MAX: i64 = 100;

impl Scheduler<'_> {
    /// The first of the best nodes for the next pod of `template`; `None` if there is none.
    pub(super) fn best_of(
        &self,
        TemplateId(template): TemplateId,
        feasible: &[usize],
    ) -> Option<NodeId> {
        let template = &self.templates[template];
        let plugins = [
            (3, self.taint_scores(template, feasible)),
            (2, self.node_affinity_scores(template, feasible)),
            (2, self.spread_scores(template, feasible)),
            (2, self.pod_affinity_scores(template, feasible)),
            (1, feasible.iter().map(|&node| self.least_allocated(template, node)).collect()),
            (1, feasible.iter().map(|&node| self.balanced(template, node)).collect()),
        ];
        let total = |at: usize| plugins.iter().map(|(weight, scores)| weight * scores[at]).sum();
        let best = (0..feasible.len()).rev().max_by_key(|&at| -> i64 { total(at) })?;
        Some(NodeId(feasible[best] as u32))
    }

    fn taint_scores(&self, template: &Template, feasible: &[usize]) -> Vec<i64> {
        let tolerations = &template.placement.tolerations;
        let repels = |taint: &&Taint| {
            taint.effect == TaintEffect::PreferNoSchedule
                && !tolerations.iter().any(|toleration| toleration.covers(taint))
        };
        let count = |node: usize| self.nodes[node].taints.iter().filter(repels).count() as i64;
        let counts: Vec<i64> = feasible.iter().map(|&node| count(node)).collect();
        let most = counts.iter().copied().max().unwrap_or(0);
        counts.iter().map(|count| if most == 0 { MAX } else { MAX - MAX * count / most }).collect()
    }

    fn node_affinity_scores(&self, template: &Template, feasible: &[usize]) -> Vec<i64> {
        let terms = &template.placement.preferred_nodes;
        let worth = |node: usize| -> i64 {
            let labels = &self.nodes[node].labels;
            let met = terms.iter().filter(|(_, selector)| selector.matches(labels));
            met.map(|(weight, _)| i64::from(*weight)).sum()
        };
        let scores: Vec<i64> = feasible.iter().map(|&node| worth(node)).collect();
        let most = scores.iter().copied().max().unwrap_or(0);
        scores.iter().map(|score| if most == 0 { 0 } else { MAX * score / most }).collect()
    }

    fn spread_scores(&self, template: &Template, feasible: &[usize]) -> Vec<i64> {
        let preferred = template.spread.iter().zip(&template.rules.spread);
        let preferred: Vec<_> = preferred.filter(|(rule, _)| !rule.required).collect();
        if preferred.is_empty() {
            return vec![0; feasible.len()];
        }
        // Nodes without one of the labels do not count, unless the constraints are built in.
        let is_own = !template.placement.spread.is_empty();
        let is_ignored = |node: usize| {
            let lacks = |(_, counter): &(&Spread, &Counter)| {
                self.topologies[counter.topology].place_of_node[node].is_none()
            };
            is_own && preferred.iter().any(lacks)
        };
        let mut crowding = vec![0.0; feasible.len()];
        for (rule, counter) in &preferred {
            self.add_crowding(template, rule, counter, feasible, is_ignored, &mut crowding);
        }
        normalized_spread(&crowding, feasible, is_ignored)
    }

    /// Adds how full the place of each node is: its pods, weighted by the number of places.
    fn add_crowding(
        &self,
        template: &Template,
        rule: &Spread,
        counter: &Counter,
        feasible: &[usize],
        is_ignored: impl Fn(usize) -> bool,
        crowding: &mut [f64],
    ) {
        let labels = |node: usize| &self.nodes[node].labels;
        let is_eligible =
            |node: usize| !is_ignored(node) && template.placement.selects_node(labels(node));
        let counts = self.counts(counter, is_eligible);
        let places = if rule.topology_key == HOSTNAME {
            feasible.iter().filter(|&&node| !is_ignored(node)).count()
        } else {
            let mut places: Vec<_> =
                feasible.iter().filter_map(|&node| counts.topology.place_of_node[node]).collect();
            places.sort_unstable();
            places.dedup();
            places.len()
        };
        let weight = (places as f64 + 2.0).ln();
        for (&node, crowding) in feasible.iter().zip(crowding) {
            if let Some(pods) = counts.at(node) {
                *crowding += f64::from(pods) * weight + f64::from(rule.max_skew.saturating_sub(1));
            }
        }
    }

    fn pod_affinity_scores(&self, template: &Template, feasible: &[usize]) -> Vec<i64> {
        let mut scores = vec![0; feasible.len()];
        for (weight, counter) in &template.rules.preferred {
            let counts = self.counts(counter, |_| true);
            for (score, &node) in scores.iter_mut().zip(feasible) {
                *score += weight * i64::from(counts.at(node).unwrap_or(0));
            }
        }
        let least = scores.iter().copied().min().unwrap_or(0);
        let most = scores.iter().copied().max().unwrap_or(0);
        let scaled = |score| if most == least { 0 } else { MAX * (score - least) / (most - least) };
        scores.into_iter().map(scaled).collect()
    }

    fn least_allocated(&self, template: &Template, node: usize) -> i64 {
        let mut wanted = self.usage[node].scored_requests;
        wanted += template.placement.scored_requests;
        let has = self.allocatable(node);
        let free = |wanted: u64, has: u64| -> i64 {
            let left = has.saturating_sub(wanted);
            // At most 100.
            if has == 0 { 0 } else { (u128::from(left) * 100 / u128::from(has)) as i64 }
        };
        (free(wanted.millicores, has.millicores) + free(wanted.bytes, has.bytes)) / 2
    }

    fn balanced(&self, template: &Template, node: usize) -> i64 {
        let asked = template.placement.requests;
        // Pods that request nothing are not judged by balance.
        if asked == Requests::default() {
            return 0;
        }
        let mut wanted = self.usage[node].requests;
        wanted += asked;
        let has = self.allocatable(node);
        let share = |wanted: u64, has: u64| (wanted as f64 / has as f64).min(1.0);
        let deviation = if has.millicores == 0 || has.bytes == 0 {
            0.0
        } else {
            let [cpu, memory] =
                [share(wanted.millicores, has.millicores), share(wanted.bytes, has.bytes)];
            (cpu - memory).abs() / 2.0
        };
        ((1.0 - deviation) * MAX as f64) as i64
    }

    fn allocatable(&self, node: usize) -> Requests {
        let node = &self.nodes[node];
        Requests { millicores: node.allocatable_millicores, bytes: node.allocatable_bytes }
    }
}

/// Turns crowding into scores: the least crowded place gets most.
fn normalized_spread(
    crowding: &[f64],
    feasible: &[usize],
    is_ignored: impl Fn(usize) -> bool,
) -> Vec<i64> {
    let crowding: Vec<i64> = crowding.iter().map(|crowding| crowding.round() as i64).collect();
    let counted =
        || crowding.iter().zip(feasible).filter(|(_, node)| !is_ignored(**node)).map(|(c, _)| *c);
    let least = counted().min().unwrap_or(0);
    let most = counted().max().unwrap_or(0);
    let score = |(&crowding, &node): (&i64, &usize)| {
        if is_ignored(node) {
            0
        } else if most == 0 {
            MAX
        } else {
            MAX * (most + least - crowding) / most
        }
    };
    crowding.iter().zip(feasible).map(score).collect()
}
