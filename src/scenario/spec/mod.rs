//! Our own kinds as written: `Cluster`, `Behavior`, `Experiment`; and their JSON Schema.
//!
//! The structs say which fields exist and how a value is spelled; [`Spec::check`] says what only
//! several fields together can tell. Both find all problems at once.

mod behavior;
mod calibration;
mod check;
mod cluster;
mod distribution;
mod experiment;
mod measure;
mod schema;
mod url;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::problem::Problems;

pub use behavior::{
    BehaviorSpec, CallSpec, FailuresSpec, MAX_BODY, OnSigterm, ShutdownSpec, StepSpec,
};
pub use cluster::{ClusterSpec, KubeProxySpec, NodePoolSpec};
pub use distribution::{
    DistributionSpec, EmpiricalSpec, ExponentialSpec, GammaSpec, LognormalSpec, MixturePartSpec,
    ReadLengths, UniformSpec, WeibullSpec,
};
pub use experiment::{
    ArrivalsSpec, ClosedLoopSpec, DEFAULT_SEED, DataPlaneSpec, ExpectationSpec, ExperimentSpec,
    LoadOverrideSpec, LoadSpec, OverridePath, PrecisionSpec, RatePhaseSpec, RateSpec,
    ReplicationsSpec, SweepAxis, SweepSpec, TraceSpec, VariantSpec, WaypointSpec,
};
pub use measure::{Dimension, MeasureSpec, Metric, Statistic, Unit, WithinSpec};
pub use schema::schema;
pub use url::{Scheme, UrlSpec};

/// `apiVersion` of our kinds.
pub const API_VERSION: &str = "meshsim/v1";

/// The `spec` of one of our kinds.
pub trait Spec: DeserializeOwned + JsonSchema {
    /// The kind, as in `kind: Experiment`.
    const KIND: &'static str;

    /// Adds to `problems` what is wrong with this spec, which stands at `path` of its object.
    fn check(&self, path: &str, problems: &mut Problems);
}

/// One object of one of our kinds.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Document<S> {
    /// Always `meshsim/v1`.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// Name and namespace.
    #[serde(default)]
    pub metadata: MetadataSpec,
    /// What it says.
    pub spec: S,
}

/// `metadata` of one of our objects.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MetadataSpec {
    /// Its name: lower-case letters, digits and dashes.
    pub name: String,
    /// The namespace whose workloads are meant; those of every namespace if left out.
    pub namespace: Option<String>,
    /// For your own use.
    pub labels: std::collections::BTreeMap<String, String>,
    /// For your own use.
    pub annotations: std::collections::BTreeMap<String, String>,
}
