//! What is told of a model that is not modelled in full.

use super::*;

#[test]
fn what_is_not_modelled_is_listed_with_its_consequence() {
    let text = deployment("a", "web", 1, "priorityClassName: high")
        + "---\napiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {name: web, namespace: a}\n\
           ---\napiVersion: v1\nkind: Secret\nmetadata: {name: key, namespace: a}\n\
           ---\napiVersion: example.org/v1\nkind: Widget\nmetadata: {name: w}\n";
    let coverage = model(&text).coverage;
    let kinds: Vec<_> =
        coverage.ignored_objects.iter().map(|kind| (kind.effect, &kind.kind[..])).collect();
    assert_eq!(
        kinds,
        [
            (Effect::Matters, "VirtualService"),
            (Effect::Unknown, "Widget"),
            (Effect::None, "Secret")
        ]
    );
    let field = &coverage.ignored_fields[0];
    assert_eq!(
        (field.effect, &field.path[..], field.objects),
        (Effect::Matters, "spec.template.spec.priorityClassName", 1)
    );
    assert!(!coverage.is_complete());

    let shown = coverage.to_string();
    assert!(shown.contains("Not modelled, and it matters\n  VirtualService"), "{shown}");
    let json = serde_json::to_value(&coverage).unwrap();
    assert_eq!(json["ignoredObjects"][0]["objects"][0], "a/web");
    assert_eq!(json["ignoredObjects"][0]["effect"], "matters");
}

#[test]
fn all_faulty_fields_are_reported_at_once_and_nothing_is_built() {
    let text = deployment("a", "web", 1, "hostNetwork: perhaps")
        .replace("replicas: 1", "replicas: -1")
        + &service("a", "web", "").replace("port: 80,", "port: 80000,");
    let found = problems(&text);
    let sentences: Vec<_> = found.errors().map(|problem| problem.sentence()).collect();
    assert_eq!(sentences.len(), 3, "{sentences:?}");
}

#[test]
fn what_was_assumed_can_be_written_down_and_says_the_same() {
    let text = deployment("a", "front", 1, "").replace(
        "{name: app, ",
        "{name: app, env: [{name: BACK_ADDR, value: \"back.a:80\"}, {name: TOKEN, value: \"secret:1\"}], ",
    ) + &service("a", "front", "")
        + &deployment("a", "back", 1, "")
        + &service("a", "back", "");
    let before = model(&text);
    let written = before.assumed_behaviors();
    assert!(
        written.contains("#   - {to: \"http://back.a:80\", probability: 1, count: 1}"),
        "{written}"
    );
    assert!(!written.contains("secret"), "{written}");

    let after = model(&(text + &written));
    assert!(after.coverage.assumptions.iter().all(|assumption| assumption.subject == "nodes"));
    assert_eq!(after.assumed_behaviors(), "");
    let behavior_of = |model: &Model, name: &str| {
        let workload = model.workload(name).expect("it is there");
        model.behaviors[model.workloads[workload.index()].behavior].clone()
    };
    for name in ["front", "back"] {
        assert_eq!(behavior_of(&before, name), behavior_of(&after, name));
    }
}

#[test]
fn the_meshs_own_configuration_is_told_from_an_applications() {
    let text = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: istio, namespace: istio-system}\n\
                ---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: app, namespace: a}\n";
    let effects: Vec<_> =
        model(text).coverage.ignored_objects.iter().map(|kind| kind.effect).collect();
    assert_eq!(effects, [Effect::Matters, Effect::None]);
}
