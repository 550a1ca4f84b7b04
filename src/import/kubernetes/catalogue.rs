//! Which kinds and fields are modelled, and why it matters where one is not.
//!
//! Three quarters of the objects in a real repository are of kinds that no simulator needs. Each
//! kind is named here with its consequence, so that `meshsim check` can tell what is missing from
//! what does not matter.

use serde::Serialize;

use crate::import::manifests::Object;

/// What it means for the results that something is not modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// It changes latency, CPU, errors or placement; results are off where it is used.
    Matters,
    /// Nobody here knows the kind; it may create pods or change traffic.
    Unknown,
    /// It changes none of these.
    None,
}

/// A kind, or a group of kinds, that is not modelled.
struct Unmodelled {
    group: &'static str,
    /// Empty for all kinds of the group.
    kind: &'static str,
    effect: Effect,
    why: &'static str,
}

const fn matters(group: &'static str, kind: &'static str, why: &'static str) -> Unmodelled {
    Unmodelled { group, kind, effect: Effect::Matters, why }
}

const fn harmless(group: &'static str, kind: &'static str, why: &'static str) -> Unmodelled {
    Unmodelled { group, kind, effect: Effect::None, why }
}

const ISTIO: &str = "networking.istio.io";
const GATEWAY_API: &str = "gateway.networking.k8s.io";
const SECURITY: &str = "security.istio.io";

/// The more telling of two matching entries stands first.
const UNMODELLED: &[Unmodelled] = &[
    matters(
        ISTIO,
        "VirtualService",
        "routes, retries, timeouts and faults; Istio's defaults apply",
    ),
    matters(
        ISTIO,
        "DestinationRule",
        "load balancing, pool limits, outlier detection, TLS; Istio's defaults apply",
    ),
    matters(ISTIO, "Gateway", "listeners of gateway pods; no traffic enters through them"),
    matters(ISTIO, "ServiceEntry", "hosts outside the mesh; calls to them have no target"),
    matters(ISTIO, "Sidecar", "how many services a sidecar knows, thus its memory"),
    matters(ISTIO, "WorkloadEntry", "endpoints outside the cluster"),
    matters(ISTIO, "WorkloadGroup", "endpoints outside the cluster"),
    matters(ISTIO, "EnvoyFilter", "anything in an Envoy's configuration"),
    matters(ISTIO, "ProxyConfig", "worker threads of sidecars"),
    matters(SECURITY, "AuthorizationPolicy", "which requests are refused, and where"),
    matters(SECURITY, "PeerAuthentication", "whether plaintext is refused"),
    matters(SECURITY, "RequestAuthentication", "which requests are refused"),
    matters("telemetry.istio.io", "Telemetry", "access logs and metrics, thus CPU per request"),
    matters("extensions.istio.io", "WasmPlugin", "CPU per request in a proxy"),
    matters("extensions.istio.io", "TrafficExtension", "CPU per request in a proxy"),
    matters("install.istio.io", "IstioOperator", "proxy resources and mesh defaults"),
    matters("operator.istio.io", "", "proxy resources and mesh defaults"),
    matters("sailoperator.io", "", "proxy resources and mesh defaults"),
    matters(GATEWAY_API, "HTTPRoute", "routes, retries, timeouts and weights; none apply"),
    matters(GATEWAY_API, "GRPCRoute", "routes and weights; none apply"),
    matters(GATEWAY_API, "TCPRoute", "routes and weights; none apply"),
    matters(GATEWAY_API, "TLSRoute", "routes and weights; none apply"),
    matters(GATEWAY_API, "", "traffic through gateways"),
    matters("gateway.networking.x-k8s.io", "", "retry budgets and traffic policies"),
    matters("networking.k8s.io", "Ingress", "how traffic enters; no load arrives by it"),
    matters("extensions", "Ingress", "how traffic enters; no load arrives by it"),
    matters("networking.k8s.io", "NetworkPolicy", "which connections are refused"),
    matters("cilium.io", "", "which connections are refused"),
    matters("autoscaling", "HorizontalPodAutoscaler", "pods under load; only minReplicas is used"),
    matters("keda.sh", "", "pods under load; the number in the workload stands"),
    matters("autoscaling.k8s.io", "", "requests of pods over time; those in the workload stand"),
    matters("policy", "PodDisruptionBudget", "how many pods may be gone at once"),
    matters("batch", "Job", "pods that run to an end, no part of the steady state"),
    matters("batch", "CronJob", "pods that run to an end, no part of the steady state"),
    matters("", "ReplicationController", "it owns pods; write it as a Deployment"),
    matters("", "LimitRange", "default requests and limits of containers"),
    matters("", "ResourceQuota", "how many pods a namespace may have"),
    matters("argoproj.io", "Rollout", "it owns pods; write it as a Deployment"),
    matters("flagger.app", "Canary", "it splits traffic between two Deployments"),
    matters("serving.knative.dev", "", "it owns pods; write it as a Deployment and a Service"),
    matters("apps.openshift.io", "DeploymentConfig", "it owns pods; write it as a Deployment"),
    matters("linkerd.io", "", "retries and timeouts of another mesh"),
    matters("policy.linkerd.io", "", "policies of another mesh"),
    matters("multicluster.x-k8s.io", "", "endpoints in other clusters"),
    harmless("argoproj.io", "", "it deploys what is modelled by itself"),
    harmless("kustomize.toolkit.fluxcd.io", "", "it deploys what is modelled by itself"),
    harmless("helm.toolkit.fluxcd.io", "", "it deploys what is modelled by itself"),
    harmless("source.toolkit.fluxcd.io", "", "it deploys what is modelled by itself"),
    harmless("monitoring.coreos.com", "", "observes"),
    harmless("cert-manager.io", "", "issues certificates"),
    harmless("", "ConfigMap", "configures applications"),
    harmless("", "Secret", "configures applications"),
    harmless("", "Event", "reports"),
    harmless("", "PersistentVolume", "storage"),
    harmless("", "PersistentVolumeClaim", "storage"),
    harmless("", "Endpoints", "derived from Services and pods"),
    harmless("discovery.k8s.io", "EndpointSlice", "derived from Services and pods"),
    harmless("apps", "ControllerRevision", "history"),
    harmless("storage.k8s.io", "", "storage"),
    harmless("rbac.authorization.k8s.io", "", "permissions"),
    harmless("apiextensions.k8s.io", "", "defines kinds"),
    harmless("apiregistration.k8s.io", "", "defines kinds"),
    harmless("admissionregistration.k8s.io", "", "admits objects"),
    harmless("coordination.k8s.io", "", "leases"),
    harmless("scheduling.k8s.io", "", "priorities; no pod is preempted"),
    harmless("certificates.k8s.io", "", "issues certificates"),
    harmless("node.k8s.io", "", "container runtimes"),
    harmless("metrics.k8s.io", "", "reports"),
    harmless("app.k8s.io", "", "describes"),
];

/// What it means that `object` is not modelled.
pub(super) fn effect_of_object(object: &Object) -> (Effect, &'static str) {
    let is_of_mesh =
        object.kind == "ConfigMap" && object.namespace.as_deref() == Some("istio-system");
    if is_of_mesh && (object.name == "istio" || object.name.starts_with("istio-")) {
        return (
            Effect::Matters,
            "defaults of the mesh: concurrency, logs, retries; Istio's own apply",
        );
    }
    effect_of_kind(&object.group, &object.kind)
}

fn effect_of_kind(group: &str, kind: &str) -> (Effect, &'static str) {
    let matching =
        |entry: &&Unmodelled| entry.group == group && (entry.kind == kind || entry.kind.is_empty());
    match UNMODELLED.iter().find(matching) {
        Some(entry) => (entry.effect, entry.why),
        None => (Effect::Unknown, "this kind is not known here"),
    }
}

/// Fields that matter although they are not modelled: the end of their path, and why.
const FIELDS: &[(&str, &str)] = &[
    ("readinessProbe", "pods count as ready as soon as they run"),
    ("livenessProbe", "containers are not restarted"),
    ("startupProbe", "pods count as ready as soon as they run"),
    ("lifecycle", "what a container does before it ends"),
    ("terminationGracePeriodSeconds", "how long a pod may take to end"),
    ("minReadySeconds", "pace of a rollout"),
    ("strategy", "pace of a rollout"),
    ("updateStrategy", "pace of a rollout"),
    ("hostPort", "pods with the same host port cannot share a node"),
    ("priorityClassName", "pods do not preempt others"),
    ("schedulerName", "kube-scheduler's rules are applied"),
    ("sessionAffinity", "clients do not stick to a pod"),
    ("internalTrafficPolicy", "traffic is not kept on the node"),
    ("externalTrafficPolicy", "traffic is not kept on the node"),
    ("trafficDistribution", "near endpoints are not preferred"),
    ("publishNotReadyAddresses", "only ready pods are endpoints"),
    ("matchLabelKeys", "the spread also counts pods of other revisions"),
    ("nodeAffinityPolicy", "the default, Honor, is applied"),
    ("nodeTaintsPolicy", "the default, Ignore, is applied"),
];

/// Why the field at `path` matters, if it does.
pub(super) fn effect_of_field(path: &str) -> Option<&'static str> {
    let name = path.rsplit('.').next().unwrap_or(path);
    FIELDS.iter().find(|(field, _)| *field == name).map(|(_, why)| *why)
}

/// Annotations that matter although they are not modelled: the start of their key, and why.
const ANNOTATIONS: &[(&str, &str)] = &[
    ("traffic.sidecar.istio.io/", "traffic that goes past the sidecar"),
    ("sidecar.istio.io/statsInclusion", "CPU and memory of telemetry"),
    ("sidecar.istio.io/extraStatTags", "CPU and memory of telemetry"),
    ("sidecar.istio.io/bootstrapOverride", "anything in the sidecar's configuration"),
    ("networking.istio.io/traffic-distribution", "near endpoints are not preferred"),
    ("ambient.istio.io/bypass-inbound-capture", "traffic that goes past the ztunnel"),
];

/// Why the annotation `key` matters, if it does.
pub(super) fn effect_of_annotation(key: &str) -> Option<&'static str> {
    ANNOTATIONS.iter().find(|(start, _)| key.starts_with(start)).map(|(_, why)| *why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_kind_of_a_group_may_matter_while_the_others_do_not() {
        assert_eq!(effect_of_kind("argoproj.io", "Rollout").0, Effect::Matters);
        assert_eq!(effect_of_kind("argoproj.io", "Application").0, Effect::None);
        assert_eq!(effect_of_kind("example.org", "Widget").0, Effect::Unknown);
    }

    #[test]
    fn the_group_tells_kinds_of_one_name_apart() {
        let (_, of_istio) = effect_of_kind(ISTIO, "Gateway");
        assert!(of_istio.contains("listeners"));
        assert_eq!(effect_of_kind("serving.knative.dev", "Service").0, Effect::Matters);
    }

    #[test]
    fn a_field_is_known_by_the_end_of_its_path() {
        let path = "spec.template.spec.containers[].readinessProbe";
        assert_eq!(effect_of_field(path), Some("pods count as ready as soon as they run"));
        assert_eq!(effect_of_field("spec.template.spec.containers[].image"), None);
    }
}
