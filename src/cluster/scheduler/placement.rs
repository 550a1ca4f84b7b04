//! What a pod asks of the scheduler.

use std::ops::{AddAssign, SubAssign};

use super::super::selector::Selector;
use super::super::taint::Toleration;

/// Requested CPU and memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// CPU in thousandths of a core.
    pub millicores: u64,
    /// Memory in bytes.
    pub bytes: u64,
}

impl AddAssign for Requests {
    fn add_assign(&mut self, more: Self) {
        self.millicores = self.millicores.saturating_add(more.millicores);
        self.bytes = self.bytes.saturating_add(more.bytes);
    }
}

impl SubAssign for Requests {
    fn sub_assign(&mut self, less: Self) {
        self.millicores = self.millicores.saturating_sub(less.millicores);
        self.bytes = self.bytes.saturating_sub(less.bytes);
    }
}

/// Which pods a pod wants near, or far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodTerm {
    /// Which pods; `None` selects none.
    pub selector: Option<Selector>,
    /// Their namespaces; `None` is all.
    pub namespaces: Option<Vec<String>>,
    /// The node label whose values are the places, such as `topology.kubernetes.io/zone`.
    pub topology_key: String,
}

impl PodTerm {
    /// Whether a pod of `namespace` with these labels is meant.
    pub(super) fn matches(&self, namespace: &str, labels: &[(String, String)]) -> bool {
        self.namespaces.as_ref().is_none_or(|all| all.iter().any(|name| name == namespace))
            && self.selector.as_ref().is_some_and(|selector| selector.matches(labels))
    }
}

/// How evenly pods shall spread (`topologySpreadConstraints`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpreadConstraint {
    /// Largest difference between two places. At least 1.
    pub max_skew: u32,
    /// The node label whose values are the places.
    pub topology_key: String,
    /// Whether it must hold (`DoNotSchedule`) or is preferred (`ScheduleAnyway`).
    pub required: bool,
    /// Which pods are counted; `None` counts none.
    pub selector: Option<Selector>,
    /// Places that must exist before the fullest may be compared with the emptiest.
    pub min_domains: Option<u32>,
}

/// Everything the scheduler looks at when it places a pod. Pods of one workload share it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The pod's namespace.
    pub namespace: String,
    /// The pod's labels, sorted by key.
    pub labels: Vec<(String, String)>,
    /// What it requests, sidecar included; decides whether it fits.
    pub requests: Requests,
    /// The same with 100 mCPU and 200 MB for each container that does not request any; decides
    /// how free a node looks (`schedutil.GetNonzeroRequests`).
    pub scored_requests: Requests,
    /// `spec.nodeName`: bound without scheduling, though the kubelet still checks that it fits.
    pub node_name: Option<String>,
    /// Selectors over node labels of which one must hold (`nodeSelector` folded into each);
    /// none at all is no condition.
    pub node_terms: Vec<Selector>,
    /// Selectors over node labels that are worth their weight, 1 to 100.
    pub preferred_nodes: Vec<(u32, Selector)>,
    /// Taints it tolerates.
    pub tolerations: Vec<Toleration>,
    /// Pods it must be near.
    pub affinity: Vec<PodTerm>,
    /// Pods it must not be near.
    pub anti_affinity: Vec<PodTerm>,
    /// Pods it would rather be near, by weight; a negative weight is rather far.
    pub preferred_pods: Vec<(i32, PodTerm)>,
    /// How evenly its kind shall spread.
    pub spread: Vec<SpreadConstraint>,
    /// What counts as its kind where `spread` is empty: the labels that its Services and its
    /// owner select. `None` spreads nothing.
    pub default_spread: Option<Selector>,
}

impl Placement {
    /// Whether a node with these labels may be taken as far as `nodeSelector` and node affinity go.
    pub(super) fn selects_node(&self, labels: &[(String, String)]) -> bool {
        self.node_terms.is_empty() || self.node_terms.iter().any(|term| term.matches(labels))
    }

    pub(super) fn is_meant_by(&self, term: &PodTerm) -> bool {
        term.matches(&self.namespace, &self.labels)
    }

    /// The spread constraints in force: its own, or kube-scheduler's built-in soft ones.
    pub(super) fn spread_in_force(&self) -> Vec<SpreadConstraint> {
        if !self.spread.is_empty() {
            return self.spread.clone();
        }
        let Some(selector) = &self.default_spread else { return Vec::new() };
        [(3, super::HOSTNAME), (5, super::ZONE)]
            .map(|(max_skew, topology_key)| SpreadConstraint {
                max_skew,
                topology_key: topology_key.to_owned(),
                required: false,
                selector: Some(selector.clone()),
                min_domains: None,
            })
            .into()
    }
}
