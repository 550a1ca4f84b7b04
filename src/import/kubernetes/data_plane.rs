//! Which proxy takes a pod's traffic, and how large it is.
//!
//! Sources: istio/istio 1.31, `istio-discovery/templates/mutatingwebhook.yaml` and
//! `revision-tags-mwc.yaml` (which pods the webhook sees), `pkg/kube/inject/inject.go` (which of
//! them it changes), `cni/pkg/util/podutil.go` (which pods ztunnel takes),
//! `files/injection-template.yaml` (resources), `pkg/bootstrap` (concurrency). Every revision
//! that a label names is taken to be installed.

use serde::Deserialize;

use super::api::{ObjectMeta, ResourceRequirements};
use super::inventory::Namespaces;
use super::plan::Planned;
use crate::cluster::Role;
use crate::mesh::path::DataPlane;
use crate::units::Quantity;

const INJECTION: &str = "istio-injection";
const REVISION: &str = "istio.io/rev";
const INJECT: &str = "sidecar.istio.io/inject";
const MODE: &str = "istio.io/dataplane-mode";
const NATIVE_SIDECAR: &str = "sidecar.istio.io/nativeSidecar";
const PROXY_CONFIG: &str = "proxy.istio.io/config";
/// Added to injected pods where the mesh was installed with `ISTIO_META_ENABLE_HBONE`.
const TUNNEL: &str = "networking.istio.io/tunnel";

/// Namespaces whose pods neither the webhook nor the CNI plugin touches, and the mesh's own.
const SYSTEM_NAMESPACES: [&str; 5] =
    ["kube-system", "kube-public", "kube-node-lease", "local-path-storage", "istio-system"];

/// The sidecar of a pod.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sidecar {
    pub(super) resources: ResourceRequirements,
    pub(super) is_native: bool,
}

/// How many workers a proxy has, as far as its pod says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Concurrency {
    /// So many: `concurrency` in `proxy.istio.io/config`, or the CPU limit rounded up.
    Workers(u32),
    /// Nothing but the chart's CPU limit says.
    ChartDefault,
    /// As many as the node has cores: `concurrency: 0`, or no CPU limit.
    NodeCores,
}

/// The data plane of a workload's pods; `wanted` is a variant's wish.
pub(super) fn data_plane(
    workload: &Planned<'_>,
    namespaces: &Namespaces,
    wanted: Option<DataPlane>,
) -> DataPlane {
    if workload.role != Role::Application {
        return DataPlane::None;
    }
    let pod = Candidate::new(workload, namespaces);
    match wanted {
        Some(DataPlane::None) => DataPlane::None,
        Some(DataPlane::Sidecar) if pod.may_be_injected() => DataPlane::Sidecar,
        Some(DataPlane::Ambient) if pod.may_be_redirected() => DataPlane::Ambient,
        Some(_) => DataPlane::None,
        None if workload.injected.is_some() || pod.is_injected() => DataPlane::Sidecar,
        None if workload.is_redirected || pod.is_redirected() => DataPlane::Ambient,
        None => DataPlane::None,
    }
}

/// A pod as webhook and CNI plugin see it.
struct Candidate<'a> {
    namespace: Option<&'a ObjectMeta>,
    metadata: &'a ObjectMeta,
    is_out_of_reach: bool,
}

impl<'a> Candidate<'a> {
    fn new(workload: &'a Planned<'_>, namespaces: &'a Namespaces) -> Self {
        Self {
            namespace: namespaces.get(&workload.namespace),
            metadata: &workload.template.metadata,
            is_out_of_reach: workload.template.spec.host_network
                || SYSTEM_NAMESPACES.contains(&workload.namespace.as_str()),
        }
    }

    fn namespace_label(&self, key: &str) -> Option<&str> {
        self.namespace?.label(key)
    }

    /// `sidecar.istio.io/inject`: the label stands before the annotation.
    fn inject(&self) -> Option<&str> {
        self.metadata.label(INJECT).or_else(|| self.metadata.annotation(INJECT))
    }

    fn may_be_injected(&self) -> bool {
        !self.is_out_of_reach && self.inject() != Some("false")
    }

    fn is_injected(&self) -> bool {
        self.may_be_injected() && self.is_seen_by_a_webhook()
    }

    /// The selectors of the webhooks; they see labels only.
    fn is_seen_by_a_webhook(&self) -> bool {
        let pod_revision = self.metadata.label(REVISION).is_some();
        match (self.namespace_label(INJECTION), self.namespace_label(REVISION)) {
            (Some(injection), _) => injection == "enabled",
            (None, Some(_)) => true,
            (None, None) => pod_revision || self.metadata.label(INJECT) == Some("true"),
        }
    }

    fn may_be_redirected(&self) -> bool {
        let mode = self.metadata.label(MODE).or_else(|| self.namespace_label(MODE));
        !self.is_out_of_reach && mode.is_none_or(|mode| mode == "ambient")
    }

    fn is_redirected(&self) -> bool {
        let mode = self.metadata.label(MODE).or_else(|| self.namespace_label(MODE));
        !self.is_out_of_reach && mode == Some("ambient")
    }
}

/// The sidecar that a pod gets, or has already.
pub(super) fn sidecar(workload: &Planned<'_>) -> Sidecar {
    match &workload.injected {
        Some(injected) => {
            Sidecar { resources: injected.resources.clone(), is_native: injected.is_native }
        }
        None => {
            let metadata = &workload.template.metadata;
            Sidecar {
                resources: sidecar_resources(metadata),
                // The default since Istio 1.27.
                is_native: metadata.annotation(NATIVE_SIDECAR) != Some("false"),
            }
        }
    }
}

/// What the charts give every Envoy: 100m and 128Mi requested, at most 2 CPU and 1Gi.
pub(super) fn chart_resources() -> ResourceRequirements {
    let of = |millicores, mebibytes: u64| {
        [
            ("cpu".to_owned(), Quantity::from_millicores(millicores)),
            ("memory".to_owned(), Quantity::from_bytes(mebibytes << 20)),
        ]
        .into()
    };
    ResourceRequirements { requests: of(100, 128), limits: of(2000, 1024) }
}

/// The chart's resources, unless one of four annotations is set: then only what they say
/// (istio/istio#35905).
fn sidecar_resources(metadata: &ObjectMeta) -> ResourceRequirements {
    let of = |suffix: &str| {
        let annotation = format!("sidecar.istio.io/proxy{suffix}");
        metadata.annotation(&annotation).and_then(|text| text.parse::<Quantity>().ok())
    };
    let pairs = |limit: &str| {
        [("cpu", of(&format!("CPU{limit}"))), ("memory", of(&format!("Memory{limit}")))]
            .into_iter()
            .filter_map(|(resource, amount)| Some((resource.to_owned(), amount?)))
            .collect()
    };
    let written = ResourceRequirements { requests: pairs(""), limits: pairs("Limit") };
    if written == ResourceRequirements::default() { chart_resources() } else { written }
}

/// Annotations that injection cannot read: key, value, and what they must be.
pub(super) fn malformed_annotations(metadata: &ObjectMeta) -> Vec<(String, String, &'static str)> {
    let quantities =
        ["CPU", "CPULimit", "Memory", "MemoryLimit"].into_iter().filter_map(|suffix| {
            let key = format!("sidecar.istio.io/proxy{suffix}");
            let value = metadata.annotation(&key)?.to_owned();
            value.parse::<Quantity>().is_err().then_some((key, value, "a quantity such as `250m`"))
        });
    let config = metadata.annotation(PROXY_CONFIG).filter(|text| proxy_config(text).is_none());
    let config =
        config.map(|text| (PROXY_CONFIG.to_owned(), text.to_owned(), "YAML of a ProxyConfig"));
    quantities.chain(config).collect()
}

fn proxy_config(text: &str) -> Option<ProxyConfig> {
    if text.trim().is_empty() {
        return Some(ProxyConfig::default());
    }
    serde_saphyr::from_str(text).ok()
}

/// What matters of `proxy.istio.io/config`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ProxyConfig {
    concurrency: Option<u32>,
}

/// Worker threads of an Envoy with these `resources` in a pod with this `metadata`.
pub(super) fn concurrency(metadata: &ObjectMeta, resources: &ResourceRequirements) -> Concurrency {
    let config = metadata.annotation(PROXY_CONFIG).and_then(proxy_config).unwrap_or_default();
    match (config.concurrency, resources.limits.get("cpu")) {
        (Some(0), _) | (None, None) => Concurrency::NodeCores,
        (Some(workers), _) => Concurrency::Workers(workers),
        (None, Some(_)) if *resources == chart_resources() => Concurrency::ChartDefault,
        (None, Some(limit)) => {
            Concurrency::Workers(u32::try_from(limit.bytes()).unwrap_or(u32::MAX).max(1))
        }
    }
}

impl Concurrency {
    /// Worker threads on a node with so many cores. At least 1.
    pub(super) fn on(self, cores: u32) -> u32 {
        match self {
            Self::Workers(workers) => workers.max(1),
            Self::ChartDefault => 2,
            Self::NodeCores => cores.max(1),
        }
    }
}

/// Whether a pod's labels say that its proxy takes HBONE on port 15008.
pub(super) fn is_tunnel_capable(metadata: &ObjectMeta) -> bool {
    metadata.label(TUNNEL) == Some("http")
}
