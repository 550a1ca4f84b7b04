//! Host names, and what workloads do with requests.

use super::*;

fn target(model: &Model, url: &str, from: &str) -> Result<String, String> {
    let url: UrlSpec = url.parse().expect("the test writes a URL");
    model.target(&url, from).map(|target| match target {
        Target::Service { service, port } => {
            let service = &model.services[service.index()];
            format!("{}:{}", service.qualified_name(), service.ports[port].port)
        }
        Target::PodIp { pod, port } => format!("pod {}:{port}", model.pods[pod.index()].name),
    })
}

#[test]
fn names_are_resolved_as_in_a_pod() {
    let model = model(
        &(deployment("a", "web", 2, "")
            + &service("a", "web", "")
            + &deployment("b", "web", 1, "")
            + &service("b", "web", "")),
    );
    for (url, from, expected) in [
        ("http://web", "a", "a/web:80"),
        ("http://web:80/x?y=z", "b", "b/web:80"),
        ("http://web.b", "a", "b/web:80"),
        ("http://web.b.svc", "a", "b/web:80"),
        ("http://web.b.svc.cluster.local", "a", "b/web:80"),
        ("http://web-1.web", "a", "pod web-1:80"),
        ("http://web-1.web.a.svc.cluster.local:9999", "b", "pod web-1:9999"),
    ] {
        assert_eq!(target(&model, url, from).as_deref(), Ok(expected), "{url} from {from}");
    }
    let ip = format!("http://{}:8080", model.pods[2].ip);
    assert_eq!(target(&model, &ip, "a").as_deref(), Ok("pod web-0:8080"));
}

#[test]
fn what_names_nothing_is_refused_with_what_there_is() {
    let model = model(&(deployment("a", "web", 1, "") + &service("a", "web", "")));
    for (url, from, reason) in [
        ("http://web", "b", "must name a Service that `b` sees; there is `web.a`"),
        (
            "http://api.example.org",
            "a",
            "must name a Service of the model, and none is called `api`",
        ),
        ("http://web:81", "a", "must dial a port of the Service a/web: 80"),
        ("http://192.0.2.1:80", "a", "must name a pod, but none has the address 192.0.2.1"),
    ] {
        assert_eq!(target(&model, url, from), Err(reason.to_owned()), "{url}");
    }
}

#[test]
fn a_proxy_is_no_target() {
    let text = deployment("a", "web", 1, "") + &service("a", "web", "");
    let model = model(&(text + &waypoint("a", "between", "service", "Same")));
    let ip = model.pods.iter().find(|pod| pod.name.starts_with("between")).unwrap().ip;
    for url in ["http://between:15008".to_owned(), format!("http://{ip}:15008")] {
        let refused = target(&model, &url, "a").unwrap_err();
        assert!(refused.contains("this is the proxy a/between"), "{url} {refused}");
    }
}

#[test]
fn behaviors_apply_by_labels_and_their_calls_are_resolved_where_the_caller_is() {
    let behavior = |name: &str, selector: &str, more: &str| {
        format!(
            "---\napiVersion: meshsim/v1\nkind: Behavior\nmetadata: {{name: {name}}}\n\
             spec:\n  selector: {{{selector}}}\n  {more}\n"
        )
    };
    let text = deployment("a", "front", 1, "")
        + &deployment("a", "back", 1, "")
        + &service("a", "back", "")
        + &deployment("b", "front", 1, "")
        + &deployment("b", "back", 1, "")
        + &service("b", "back", "")
        + &behavior(
            "front",
            "app: front",
            "calls: [{to: \"http://back/x\"}, [{to: \"http://back\"}, {to: \"http://back.a\", probability: 0.5}]]",
        );
    let model = model(&text);
    let calls_from = |name: &str| {
        let workload = model.workload(name).unwrap();
        model.behaviors[model.workloads[workload.index()].behavior].calls.clone()
    };
    let names = |name: &str| -> Vec<Vec<String>> {
        let name_of = |to| match to {
            Target::Service { service, .. } => {
                model.services[meshsim::cluster::ServiceId::index(service)].qualified_name()
            }
            Target::PodIp { .. } => "pod".to_owned(),
        };
        calls_from(name).iter().map(|step| step.iter().map(|c| name_of(c.to)).collect()).collect()
    };
    assert_eq!(names("a/front"), [vec!["a/back"], vec!["a/back", "a/back"]]);
    assert_eq!(names("b/front"), [vec!["b/back"], vec!["b/back", "a/back"]]);
    let assumed: Vec<_> =
        model.coverage.assumptions.iter().map(|assumption| &assumption.subject[..]).collect();
    assert_eq!(assumed, ["nodes", "a/back", "b/back"]);
}

#[test]
fn the_behavior_with_more_labels_wins_and_an_unused_one_is_a_warning() {
    let behavior = |name: &str, selector: &str, time: &str| {
        format!(
            "---\napiVersion: meshsim/v1\nkind: Behavior\nmetadata: {{name: {name}}}\n\
             spec: {{selector: {{{selector}}}, cpuTime: {time}}}\n"
        )
    };
    let text = pod("a", "v1", "app: web, version: v1", "", "")
        + &pod("a", "v2", "app: web, version: v2", "", "")
        + &behavior("v2", "app: web, version: v2", "2ms")
        + &behavior("web", "app: web", "1ms")
        + &behavior("lost", "app: lost", "1ms");
    let model = model(&text);
    let time = |name| {
        let workload = model.workload(name).unwrap();
        model.behaviors[model.workloads[workload.index()].behavior].cpu_time.mean_seconds()
    };
    assert!((time("v1") - 1e-3).abs() < 1e-12 && (time("v2") - 2e-3).abs() < 1e-12);
    assert_eq!(warnings(&model).len(), 1);
    assert_eq!(model.coverage.warnings[0].object, "Behavior/lost");
}

#[test]
fn a_call_to_nobody_is_an_error_at_its_place() {
    let text = deployment("a", "web", 1, "")
        + "---\napiVersion: meshsim/v1\nkind: Behavior\nmetadata: {name: web}\n\
           spec:\n  selector: {app: web}\n  calls:\n  - {to: \"http://nobody\"}\n";
    let shown = problems(&text).to_string();
    assert!(
        shown.contains(
            "spec.calls[0].to\n      is `http://nobody:80/`, but must name a Service of the model"
        ),
        "{shown}"
    );
}

#[test]
fn a_workload_is_named_alone_where_that_is_clear_and_with_its_namespace_where_not() {
    let model = model(
        &(deployment("a", "web", 1, "")
            + &deployment("b", "web", 1, "")
            + &deployment("b", "db", 1, "")),
    );
    assert!(model.workload("db").is_ok() && model.workload("b/web").is_ok());
    assert_eq!(
        model.workload("web"),
        Err("must name one workload; both a/web and b/web are called so".to_owned())
    );
    assert_eq!(
        model.workload("cache"),
        Err("must name a workload of the model: a/web, b/web, b/db".to_owned())
    );
}
