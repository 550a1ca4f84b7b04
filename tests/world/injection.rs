//! Which proxy takes a pod's traffic, and how large it is.

use super::*;

/// The data plane of a pod with these labels, annotations and spec in a namespace with these.
fn plane(namespace_labels: &str, labels: &str, annotations: &str, spec: &str) -> DataPlane {
    let text = namespace("n", namespace_labels) + &pod("n", "p", labels, annotations, spec);
    data_plane_of(&model(&text), "p")
}

#[test]
fn labels_of_namespace_and_pod_decide_as_istios_webhooks_do() {
    use DataPlane::{None, Sidecar};
    for (namespace, labels, annotations, expected) in [
        ("", "", "", None),
        ("istio-injection: enabled", "", "", Sidecar),
        ("istio.io/rev: stable", "", "", Sidecar),
        ("istio-injection: enabled", "sidecar.istio.io/inject: \"false\"", "", None),
        ("istio-injection: enabled", "", "sidecar.istio.io/inject: \"false\"", None),
        ("", "sidecar.istio.io/inject: \"true\"", "", Sidecar),
        ("", "istio.io/rev: stable", "", Sidecar),
        // Webhooks see labels only.
        ("", "", "sidecar.istio.io/inject: \"true\"", None),
        // A label on the pod cannot open a namespace that is closed.
        ("istio-injection: disabled", "sidecar.istio.io/inject: \"true\"", "", None),
        // The label stands before the annotation.
        (
            "istio-injection: enabled",
            "sidecar.istio.io/inject: \"true\"",
            "sidecar.istio.io/inject: \"false\"",
            Sidecar,
        ),
        // `istio-injection` stands before a revision.
        ("istio-injection: disabled, istio.io/rev: stable", "", "", None),
    ] {
        let found = plane(namespace, labels, annotations, "");
        assert_eq!(found, expected, "namespace {{{namespace}}} pod {{{labels}}} {{{annotations}}}");
    }
}

#[test]
fn ambient_labels_decide_unless_a_sidecar_is_there() {
    use DataPlane::{Ambient, None, Sidecar};
    for (namespace, labels, expected) in [
        ("istio.io/dataplane-mode: ambient", "", Ambient),
        ("", "istio.io/dataplane-mode: ambient", Ambient),
        ("istio.io/dataplane-mode: ambient", "istio.io/dataplane-mode: none", None),
        ("istio.io/dataplane-mode: ambient, istio-injection: enabled", "", Sidecar),
    ] {
        assert_eq!(plane(namespace, labels, "", ""), expected, "{namespace} / {labels}");
    }
}

#[test]
fn host_network_pods_stay_outside() {
    for namespace in ["istio-injection: enabled", "istio.io/dataplane-mode: ambient"] {
        assert_eq!(plane(namespace, "", "", "hostNetwork: true"), DataPlane::None);
    }
}

const NATIVE: &str = "initContainers:\n- {name: istio-init}\n\
    - {name: istio-proxy, restartPolicy: Always, resources: {requests: {cpu: 70m}, limits: {cpu: 4}}}";

#[test]
fn an_injected_sidecar_is_recognized_and_not_injected_again() {
    let text = namespace("n", "istio-injection: enabled") + &pod("n", "p", "", "", NATIVE);
    let model = model(&text);
    let enrolment = enrolment_of(&model, "p");
    assert_eq!(enrolment.data_plane, DataPlane::Sidecar);
    assert!(enrolment.native_sidecar);
    assert_eq!(enrolment.sidecar.request_millicores, 70);
    assert_eq!(enrolment.concurrency, 4);
    assert_eq!(model.placements[0].requests.millicores, 70, "counted once");

    let beside = pod("n", "p", "", "", "")
        .replace("containers: [{name: app}]", "containers: [{name: app}, {name: istio-proxy}]");
    let enrolment = enrolment_of(&super::model(&beside), "p");
    assert_eq!(enrolment.data_plane, DataPlane::Sidecar, "even without a Namespace object");
    assert!(!enrolment.native_sidecar);
    assert_eq!(enrolment.concurrency, 4, "no limit: as many as the node has cores");
}

#[test]
fn variants_inject_or_strip_whatever_has_not_opted_out() {
    let text = pod("n", "plain", "", "", "")
        + &pod("n", "out", "sidecar.istio.io/inject: \"false\"", "", "")
        + &pod("n", "injected", "", "", NATIVE)
        + &pod("n", "unmeshed", "istio.io/dataplane-mode: none", "", "")
        + &pod("kube-system", "dns", "", "", "");
    let names = ["plain", "out", "injected", "unmeshed", "dns"];
    let planes = |data_plane| {
        let model = variant(&text, with(data_plane));
        names.map(|name| data_plane_of(&model, name))
    };
    use DataPlane::{Ambient, None, Sidecar};
    assert_eq!(planes(DataPlaneSpec::None), [None; 5]);
    assert_eq!(planes(DataPlaneSpec::Sidecar), [Sidecar, None, Sidecar, Sidecar, None]);
    assert_eq!(planes(DataPlaneSpec::Ambient), [Ambient, Ambient, Ambient, None, None]);
    let stripped = variant(&text, with(DataPlaneSpec::Ambient));
    assert_eq!(stripped.placements[2].requests.millicores, 0, "the sidecar is gone");
}

#[test]
fn annotations_size_the_sidecar_and_drop_the_other_defaults() {
    let sized = |annotations: &str| {
        let text = namespace("n", "istio-injection: enabled") + &pod("n", "p", "", annotations, "");
        enrolment_of(&model(&text), "p")
    };
    let default = sized("");
    assert_eq!(default.sidecar.request_millicores, 100);
    assert_eq!(default.sidecar.limit_millicores, Some(2000));
    assert_eq!(default.concurrency, 2);

    let limited = sized("sidecar.istio.io/proxyCPULimit: 2500m");
    assert_eq!(limited.concurrency, 3);
    assert_eq!(limited.sidecar.request_millicores, 2500, "a missing request is the limit");
    assert_eq!(limited.sidecar.limit_bytes, None, "one annotation replaces all four defaults");

    assert_eq!(sized("proxy.istio.io/config: \"concurrency: 6\"").concurrency, 6);
    assert_eq!(sized("proxy.istio.io/config: \"concurrency: 0\"").concurrency, 4);
}

#[test]
fn malformed_annotations_are_errors_with_their_place() {
    let text = deployment("n", "web", 1, "").replace(
        "labels: {app: web}}",
        "labels: {app: web}, annotations: {sidecar.istio.io/proxyCPULimit: lots, proxy.istio.io/config: \"[\"}}",
    );
    let shown = problems(&text).to_string();
    assert!(shown.contains("`lots`, but must be a quantity such as `250m`"), "{shown}");
    assert!(shown.contains("must be YAML of a ProxyConfig"), "{shown}");
    assert!(shown.contains("test.yaml:"), "{shown}");
}

#[test]
fn sidecars_take_hbone_where_the_mesh_is_ambient_too_or_a_label_says_so() {
    let sidecar = pod("n", "s", "sidecar.istio.io/inject: \"true\"", "", "");
    let ambient = pod("n", "a", "istio.io/dataplane-mode: ambient", "", "");
    assert!(!enrolment_of(&model(&sidecar), "s").hbone);
    assert!(enrolment_of(&model(&(sidecar.clone() + &ambient)), "s").hbone);
    let labelled = sidecar.replace("\"true\"", "\"true\", networking.istio.io/tunnel: http");
    assert!(enrolment_of(&model(&labelled), "s").hbone);
}

#[test]
fn a_calibration_sets_the_workers_of_proxies_that_do_not_say() {
    let text = namespace("n", "istio-injection: enabled")
        + &pod("n", "plain", "", "", "")
        + &pod("n", "sized", "", "proxy.istio.io/config: \"concurrency: 3\"", "");
    let mut costs = meshsim::import::calibration::built_in_calibration().expect("it is whole");
    costs.sidecar_workers = 5.0;
    let second = SimDuration::from_secs(1);
    let scenario = model(&text).into_scenario(Vec::new(), costs.into(), second, second);
    let workers: Vec<u32> = scenario.enrolments.iter().map(|e| e.concurrency).collect();
    assert_eq!(workers, [5, 3]);
}
