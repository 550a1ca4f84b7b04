//! Gateways, waypoints and what is bound to them.

use super::*;

const AMBIENT: &str = "istio.io/dataplane-mode: ambient";

fn shop(namespace_labels: &str, service_labels: &str, pod_labels: &str, kind: &str) -> Model {
    let web = deployment("shop", "web", 1, "")
        .replace("labels: {app: web}}", &format!("labels: {{app: web{pod_labels}}}}}"));
    let text = namespace("shop", &format!("{AMBIENT}{namespace_labels}"))
        + &web
        + &service("shop", "web", service_labels)
        + &waypoint("shop", "wp", kind, "Same");
    model(&text)
}

#[test]
fn a_label_on_the_service_binds_it_to_a_waypoint_for_services() {
    for (kind, bound) in
        [("service", Some("wp")), ("all", Some("wp")), ("workload", None), ("none", None)]
    {
        let model = shop("", "istio.io/use-waypoint: wp", "", kind);
        assert_eq!(waypoint_of_service(&model, "web"), bound, "{kind}");
        assert_eq!(warnings(&model).len(), usize::from(bound.is_none()), "{kind}");
    }
}

#[test]
fn a_label_on_the_pod_binds_it_to_a_waypoint_for_workloads() {
    for (kind, bound) in
        [("workload", Some("wp")), ("all", Some("wp")), ("service", None), ("none", None)]
    {
        let model = shop("", "", ", istio.io/use-waypoint: wp", kind);
        assert_eq!(waypoint_of_pod(&model, "web-0"), bound, "{kind}");
        assert_eq!(warnings(&model).len(), usize::from(bound.is_none()), "{kind}");
    }
}

#[test]
fn a_namespaces_waypoint_for_services_leaves_pods_unbound_without_a_word() {
    let model = shop(", istio.io/use-waypoint: wp", "", "", "service");
    assert_eq!(waypoint_of_service(&model, "web"), Some("wp"));
    assert_eq!(waypoint_of_pod(&model, "web-0"), None);
    assert_eq!(warnings(&model), [""; 0]);
}

#[test]
fn a_namespaces_waypoint_for_workloads_leaves_services_unbound_with_a_warning() {
    let model = shop(", istio.io/use-waypoint: wp", "", "", "workload");
    assert_eq!(waypoint_of_service(&model, "web"), None);
    assert_eq!(waypoint_of_pod(&model, "web-0"), Some("wp"));
    assert_eq!(
        warnings(&model),
        [
            "metadata.labels names the waypoint `shop/wp`, which is for traffic to pods: it is not used"
        ]
    );
}

#[test]
fn none_opts_out_and_a_missing_waypoint_is_no_fallback() {
    let of_namespace = ", istio.io/use-waypoint: wp";
    let out = shop(of_namespace, "istio.io/use-waypoint: none", "", "service");
    assert_eq!(waypoint_of_service(&out, "web"), None);
    assert_eq!(warnings(&out), [""; 0]);
    let missing = shop(of_namespace, "istio.io/use-waypoint: gone", "", "service");
    assert_eq!(waypoint_of_service(&missing, "web"), None);
    assert!(warnings(&missing)[0].contains("`shop/gone`, which does not exist"));
}

#[test]
fn a_waypoint_of_another_namespace_must_admit_this_one() {
    for (from, bound) in [("All", Some("wp")), ("Same", None)] {
        let labels = "istio.io/use-waypoint: wp, istio.io/use-waypoint-namespace: infra";
        let text = deployment("shop", "web", 1, "")
            + &service("shop", "web", labels)
            + &waypoint("infra", "wp", "service", from);
        let model = model(&text);
        assert_eq!(waypoint_of_service(&model, "web"), bound, "{from}");
    }
}

#[test]
fn gateways_go_through_the_waypoint_where_the_service_or_its_namespace_says_so() {
    for (of_namespace, of_service, expected) in [
        ("", "", false),
        (", istio.io/ingress-use-waypoint: \"true\"", "", true),
        (
            ", istio.io/ingress-use-waypoint: \"true\"",
            "istio.io/ingress-use-waypoint: \"false\"",
            false,
        ),
        ("", "istio.io/ingress-use-waypoint: \"true\"", true),
    ] {
        let model = shop(of_namespace, of_service, "", "service");
        assert_eq!(model.ingress_use_waypoint[0], expected, "{of_namespace} / {of_service}");
    }
}

#[test]
fn a_variant_adds_a_waypoint_of_one_pod_where_there_is_none() {
    let text = deployment("a", "web", 2, "") + &service("a", "web", "");
    let model = variant(&text, with_waypoint(WaypointSpec::Service));
    assert_eq!(model.waypoints.len(), 1);
    assert_eq!(model.waypoints[0].qualified_name(), "a/waypoint");
    assert_eq!(model.waypoints[0].waypoint_for, WaypointFor::Service);
    assert_eq!(nodes_of(&model, "waypoint").len(), 1);
    assert_eq!(waypoint_of_service(&model, "web"), Some("waypoint"));
    let workload = &model.workloads[model.workload("waypoint").unwrap().index()];
    assert_eq!(workload.role, Role::Waypoint);
    assert_eq!(workload.resources.limit_millicores, Some(2000));
}

#[test]
fn a_variant_for_workloads_binds_pods_and_one_for_all_binds_both() {
    let text = deployment("a", "web", 1, "") + &service("a", "web", "");
    let workload = variant(&text, with_waypoint(WaypointSpec::Workload));
    assert_eq!(waypoint_of_service(&workload, "web"), None);
    assert_eq!(waypoint_of_pod(&workload, "web-0"), Some("waypoint"));
    let all = variant(&text, with_waypoint(WaypointSpec::All));
    assert_eq!(waypoint_of_service(&all, "web"), Some("waypoint"));
    assert_eq!(waypoint_of_pod(&all, "web-0"), Some("waypoint"));
    assert_eq!(warnings(&workload), [""; 0]);
}

#[test]
fn a_variant_without_waypoints_removes_bindings_and_proxies() {
    let text = namespace("shop", AMBIENT)
        + &deployment("shop", "web", 1, "")
        + &service("shop", "web", "istio.io/use-waypoint: wp")
        + &waypoint("shop", "wp", "service", "Same");
    let model = variant(&text, with_waypoint(WaypointSpec::None));
    assert_eq!(waypoint_of_service(&model, "web"), None);
    assert!(model.waypoints.is_empty());
    assert_eq!(model.workloads.len(), 1);
}

#[test]
fn a_waypoint_of_a_dump_is_its_deployment_once() {
    let text = waypoint("shop", "wp", "service", "Same")
        + &service("shop", "web", "istio.io/use-waypoint: wp")
        + &deployment("shop", "web", 1, "")
        + "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: wp, namespace: shop}\n\
           spec:\n  replicas: 3\n  template:\n    metadata: {labels: {gateway.networking.k8s.io/gateway-name: wp}}\n    \
           spec: {containers: [{name: istio-proxy, resources: {limits: {cpu: 1}}}]}\n\
           ---\napiVersion: v1\nkind: Service\nmetadata: {name: wp, namespace: shop}\n\
           spec: {selector: {gateway.networking.k8s.io/gateway-name: wp}, ports: [{name: mesh, port: 15008}]}\n";
    let model = model(&text);
    assert_eq!(nodes_of(&model, "wp").len(), 3);
    assert_eq!(enrolment_of(&model, "wp").concurrency, 1);
    assert_eq!(model.services.iter().filter(|service| service.name == "wp").count(), 1);
    assert_eq!(waypoint_of_service(&model, "web"), Some("wp"));
    assert_eq!(model.workloads[model.waypoints[0].workload.index()].name, "wp");
}

#[test]
fn ingress_gateways_get_pods_and_a_service_named_after_their_class() {
    let gateway = |class: &str| {
        format!(
            "---\napiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {{name: edge, namespace: in}}\n\
             spec: {{gatewayClassName: {class}, listeners: [{{name: web, port: 80, protocol: HTTP}}]}}\n"
        )
    };
    let istio = model(&gateway("istio"));
    assert_eq!(istio.workloads[0].role, Role::Gateway);
    assert_eq!(istio.workloads[0].name, "edge-istio");
    let ports: Vec<u16> = istio.services[0].ports.iter().map(|port| port.port).collect();
    assert_eq!((istio.services[0].name.as_str(), ports), ("edge-istio", vec![15021, 80]));
    assert_eq!(istio.services[0].endpoints, [PodId(0)]);

    let foreign = model(&gateway("cilium"));
    assert!(foreign.workloads.is_empty());
    assert!(warnings(&foreign)[0].contains("`cilium` is no class of Istio's"));
}

#[test]
fn a_class_of_istios_mesh_controller_makes_waypoints_for_what_its_label_says() {
    let class = "---\napiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\n\
        metadata: {name: mine, labels: {istio.io/waypoint-for: all}}\nspec: {controllerName: istio.io/mesh-controller}\n";
    let gateway = waypoint("shop", "wp", "x", "Same")
        .replace(", labels: {istio.io/waypoint-for: x}", "")
        .replace("istio-waypoint", "mine");
    let model = model(&(class.to_owned() + &gateway));
    assert_eq!(model.waypoints[0].waypoint_for, WaypointFor::All);
}

#[test]
fn an_old_gateway_is_an_istio_proxy_alone_in_its_pod() {
    let model = model(&pod("in", "edge", "", "", "").replace("name: app", "name: istio-proxy"));
    assert_eq!(model.workloads[0].role, Role::Gateway);
    assert_eq!(enrolment_of(&model, "edge").data_plane, DataPlane::None);
}
