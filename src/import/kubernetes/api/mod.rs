//! Kubernetes and Gateway API objects as written: only the fields that matter here.
//!
//! Every field is optional, because the API server fills in defaults that manifests leave out.
//! What these types do not name, the reader lists as ignored.

mod gateway;
mod meta;
mod node;
mod pod;
mod service;
mod workload;

pub(crate) use gateway::{FromNamespaces, Gateway, GatewayClass, Listener};
pub(crate) use meta::{ObjectMeta, sorted_labels};
pub(crate) use node::{Node, NodeSpec};
pub(crate) use pod::{
    Container, NodeTerm, Pod, PodAffinityTerm, PodSpec, PodTemplate, PreferredPodTerm,
    ResourceRequirements, Toleration, TolerationOperator, TopologySpreadConstraint,
    WhenUnsatisfiable,
};
pub(crate) use service::{IntOrString, Service, ServicePort};
pub(crate) use workload::{Controller, HorizontalPodAutoscaler};
