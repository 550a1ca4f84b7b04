//! Services, their ports and endpoints.

use super::*;

#[test]
fn endpoints_are_the_selected_pods_of_the_same_namespace() {
    let text = deployment("a", "web", 2, "")
        + &deployment("a", "other", 1, "")
        + &deployment("b", "web", 1, "")
        + &service("a", "web", "");
    let model = model(&text);
    let names: Vec<_> = model.services[0]
        .endpoints
        .iter()
        .map(|pod| (&model.pods[pod.index()].namespace[..], &model.pods[pod.index()].name[..]))
        .collect();
    assert_eq!(names, [("a", "web-0"), ("a", "web-1")]);
    assert_eq!(model.services[0].ports[0].target_port, 8080, "by the name `web`");
}

#[test]
fn protocols_stay_as_written_and_other_transports_are_left_out() {
    let text = deployment("a", "web", 1, "")
        + "---\napiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: a}\nspec:\n  clusterIP: None\n  \
           selector: {app: web}\n  ports:\n  - {name: grpc-api, port: 1, appProtocol: kubernetes.io/h2c}\n  \
           - {name: dns, port: 53, protocol: UDP}\n";
    let service = &model(&text).services[0];
    assert!(service.headless);
    assert_eq!(service.ports.len(), 1);
    assert_eq!(service.ports[0].name, "grpc-api");
    assert_eq!(service.ports[0].app_protocol.as_deref(), Some("kubernetes.io/h2c"));
    assert_eq!(service.ports[0].target_port, 1);
}

#[test]
fn services_that_lead_out_of_the_model_are_listed() {
    let text = deployment("a", "web", 1, "")
        + "---\napiVersion: v1\nkind: Service\nmetadata: {name: away, namespace: a}\n\
           spec: {type: ExternalName, externalName: example.org}\n\
           ---\napiVersion: v1\nkind: Service\nmetadata: {name: manual, namespace: a}\nspec: {ports: [{port: 80}]}\n";
    let model = model(&text);
    assert!(model.services.is_empty());
    let listed: Vec<_> =
        model.coverage.ignored_objects.iter().map(|kind| &kind.objects[0][..]).collect();
    assert_eq!(listed, ["a/away", "a/manual"]);
    assert!(model.coverage.modelled.iter().all(|kind| kind.kind != "Service"));
}

#[test]
fn a_selector_or_port_name_without_pods_is_a_warning() {
    let text = deployment("a", "web", 1, "")
        + &service("a", "gone", "")
        + &service("a", "web", "").replace("targetPort: web", "targetPort: admin");
    let model = model(&text);
    let shown = warnings(&model);
    assert_eq!(shown.len(), 3, "{shown:?}");
    assert_eq!(shown[0], "spec.selector selects no pods: calls are refused");
    assert!(shown[2].starts_with("spec.ports[0].targetPort is `admin`"), "{shown:?}");
}
