//! Gateway API: gateways and their classes.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::meta::{LabelSelector, ObjectMeta};

/// `gateway.networking.k8s.io` Gateway.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Gateway {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: GatewaySpec,
}

/// `spec` of a Gateway.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct GatewaySpec {
    pub(crate) gateway_class_name: String,
    pub(crate) listeners: Vec<Listener>,
    pub(crate) addresses: Vec<Address>,
    pub(crate) infrastructure: Option<Infrastructure>,
}

/// A listener.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Listener {
    #[serde(default)]
    pub(crate) name: String,
    pub(crate) port: u16,
    #[serde(default)]
    pub(crate) protocol: String,
    #[serde(default)]
    pub(crate) allowed_routes: AllowedRoutes,
}

/// Who may attach.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct AllowedRoutes {
    pub(crate) namespaces: RouteNamespaces,
}

/// From which namespaces.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RouteNamespaces {
    pub(crate) from: FromNamespaces,
    pub(crate) selector: Option<LabelSelector>,
}

/// `All`, `Same`, `Selector`; newer releases know `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) enum FromNamespaces {
    All,
    #[default]
    Same,
    Selector,
    None,
}

/// An address that is asked for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Address {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) value: String,
}

/// What is passed on to the pods and Services made for a Gateway.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Infrastructure {
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) annotations: BTreeMap<String, String>,
    pub(crate) parameters_ref: Option<ParametersRef>,
}

/// A ConfigMap with changes to the generated Deployment.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ParametersRef {
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) name: String,
}

/// `gateway.networking.k8s.io` GatewayClass.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct GatewayClass {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: GatewayClassSpec,
}

/// `spec` of a GatewayClass.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct GatewayClassSpec {
    pub(crate) controller_name: String,
}
