//! Pods and pod templates.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::meta::{Expression, LabelSelector, ObjectMeta};
use crate::cluster::taint::TaintEffect;
use crate::units::Quantity;

/// `v1` Pod.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Pod {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: PodSpec,
    pub(crate) status: PodStatus,
}

/// What became of a pod.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct PodStatus {
    pub(crate) phase: Option<String>,
}

/// `spec.template` of whatever makes pods.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct PodTemplate {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: PodSpec,
}

/// `v1` PodSpec.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct PodSpec {
    pub(crate) containers: Vec<Container>,
    pub(crate) init_containers: Vec<Container>,
    pub(crate) node_name: Option<String>,
    pub(crate) node_selector: BTreeMap<String, String>,
    pub(crate) affinity: Affinity,
    pub(crate) tolerations: Vec<Toleration>,
    pub(crate) topology_spread_constraints: Vec<TopologySpreadConstraint>,
    pub(crate) service_account_name: Option<String>,
    pub(crate) host_network: bool,
    pub(crate) overhead: BTreeMap<String, Quantity>,
}

/// A container.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Container {
    pub(crate) name: String,
    pub(crate) ports: Vec<ContainerPort>,
    pub(crate) env: Vec<EnvVar>,
    pub(crate) resources: ResourceRequirements,
    pub(crate) restart_policy: Option<String>,
}

/// An environment variable; its value may name another service.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct EnvVar {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// A port that a container says it listens on.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContainerPort {
    #[serde(default)]
    pub(crate) name: String,
    pub(crate) container_port: u16,
}

/// Requests and limits by resource.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ResourceRequirements {
    pub(crate) requests: BTreeMap<String, Quantity>,
    pub(crate) limits: BTreeMap<String, Quantity>,
}

/// `spec.affinity`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Affinity {
    pub(crate) node_affinity: NodeAffinity,
    pub(crate) pod_affinity: PodAffinity,
    pub(crate) pod_anti_affinity: PodAffinity,
}

/// `spec.affinity.nodeAffinity`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct NodeAffinity {
    #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    pub(crate) required: NodeSelector,
    #[serde(rename = "preferredDuringSchedulingIgnoredDuringExecution")]
    pub(crate) preferred: Vec<PreferredNodeTerm>,
}

/// Terms of which one must hold.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct NodeSelector {
    pub(crate) node_selector_terms: Vec<NodeTerm>,
}

/// Conditions on a node's labels that must all hold.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct NodeTerm {
    pub(crate) match_expressions: Vec<Expression>,
    pub(crate) match_fields: Vec<Expression>,
}

/// A node term with its weight.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct PreferredNodeTerm {
    pub(crate) weight: u32,
    pub(crate) preference: NodeTerm,
}

/// `spec.affinity.podAffinity` or `podAntiAffinity`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct PodAffinity {
    #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    pub(crate) required: Vec<PodAffinityTerm>,
    #[serde(rename = "preferredDuringSchedulingIgnoredDuringExecution")]
    pub(crate) preferred: Vec<PreferredPodTerm>,
}

/// Which pods, and what "near" means.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PodAffinityTerm {
    pub(crate) label_selector: Option<LabelSelector>,
    #[serde(default)]
    pub(crate) namespaces: Vec<String>,
    pub(crate) namespace_selector: Option<LabelSelector>,
    pub(crate) topology_key: String,
}

/// A pod term with its weight.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreferredPodTerm {
    pub(crate) weight: u16,
    pub(crate) pod_affinity_term: PodAffinityTerm,
}

/// An entry of `spec.tolerations`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Toleration {
    pub(crate) key: String,
    pub(crate) operator: TolerationOperator,
    pub(crate) value: String,
    pub(crate) effect: Option<TaintEffectName>,
}

/// How a toleration compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) enum TolerationOperator {
    #[default]
    Equal,
    Exists,
}

/// The effects' names.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) enum TaintEffectName {
    NoSchedule,
    PreferNoSchedule,
    NoExecute,
}

impl From<TaintEffectName> for TaintEffect {
    fn from(name: TaintEffectName) -> Self {
        match name {
            TaintEffectName::NoSchedule => Self::NoSchedule,
            TaintEffectName::PreferNoSchedule => Self::PreferNoSchedule,
            TaintEffectName::NoExecute => Self::NoExecute,
        }
    }
}

/// An entry of `spec.topologySpreadConstraints`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TopologySpreadConstraint {
    pub(crate) max_skew: u32,
    pub(crate) topology_key: String,
    pub(crate) when_unsatisfiable: WhenUnsatisfiable,
    pub(crate) label_selector: Option<LabelSelector>,
    pub(crate) min_domains: Option<u32>,
}

/// What to do when the spread cannot be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) enum WhenUnsatisfiable {
    DoNotSchedule,
    ScheduleAnyway,
}
