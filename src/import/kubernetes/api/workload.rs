//! What makes pods.

use serde::Deserialize;

use super::meta::{LabelSelector, ObjectMeta};
use super::pod::PodTemplate;

/// Deployment, ReplicaSet, StatefulSet or DaemonSet: what they have in common.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Controller {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: ControllerSpec,
    pub(crate) status: ControllerStatus,
}

/// `spec` of a controller.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ControllerSpec {
    pub(crate) replicas: Option<u32>,
    pub(crate) selector: Option<LabelSelector>,
    pub(crate) template: PodTemplate,
}

/// What a controller reports.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ControllerStatus {
    pub(crate) replicas: Option<u32>,
}

/// `autoscaling` HorizontalPodAutoscaler: whose replicas it sets.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct HorizontalPodAutoscaler {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: AutoscalerSpec,
}

/// `spec` of an autoscaler.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct AutoscalerSpec {
    pub(crate) scale_target_ref: ScaleTarget,
    pub(crate) min_replicas: Option<u32>,
}

/// What an autoscaler scales.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ScaleTarget {
    pub(crate) kind: String,
    pub(crate) name: String,
}
