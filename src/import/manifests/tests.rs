use super::*;

fn labels(manifests: &Manifests) -> Vec<String> {
    manifests.objects.iter().map(Object::label).collect()
}

fn sentences(manifests: &Manifests) -> Vec<String> {
    manifests.problems.iter().map(Problem::sentence).collect()
}

const SERVICE: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n";

#[test]
fn empty_documents_are_nothing() {
    let manifests =
        load_text("a.yaml", &format!("---\n---\n# only a comment\n---\n{SERVICE}...\n---\n"));

    assert_eq!(labels(&manifests), ["Service/a"]);
    assert!(manifests.problems.is_empty() && manifests.skipped.is_empty());
}

#[test]
fn lists_of_every_form_are_flattened() {
    let text = "\
apiVersion: v1
items:
- {apiVersion: v1, kind: Service, metadata: {name: a}}
- apiVersion: v1
  kind: List
  items: [{apiVersion: apps/v1, kind: Deployment, metadata: {name: b, namespace: shop}}]
- {apiVersion: v1, kind: List, items: []}
kind: List
metadata: {resourceVersion: \"\", selfLink: \"\"}
---
kind: DeploymentList
apiVersion: apps/v1
items:
- metadata: {name: c}
";
    let manifests = load_text("dump.yaml", text);

    assert_eq!(labels(&manifests), ["Service/a", "Deployment/shop/b", "Deployment/c"]);
    assert_eq!(manifests.objects[2].group, "apps");
    assert!(manifests.problems.is_empty());
}

#[test]
fn json_objects_one_after_another_and_arrays_are_read() {
    let object = |name: &str| {
        format!(
            "{{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"Service\", \"metadata\": {{\"name\":\"{name}\"}}\n}}"
        )
    };
    let manifests =
        load_text("dump.json", &format!("{}\n{}\n[{}]", object("a"), object("b"), object("c")));

    assert_eq!(
        labels(&manifests),
        ["Service/a", "Service/b", "Service/c"],
        "{:?}",
        sentences(&manifests)
    );
    assert_eq!(manifests.objects[1].origin().line(), 5);
}

#[test]
fn equal_objects_are_one_and_of_different_ones_the_last_counts() {
    let other = SERVICE.replace("{name: a}", "{name: a, labels: {x: y}}");
    let reordered = "metadata: {name: a}\nkind: Service\napiVersion: v1\n";
    let manifests = load_text("a.yaml", &format!("{SERVICE}---\n{reordered}---\n{other}"));

    assert_eq!(labels(&manifests), ["Service/a"]);
    assert_eq!(manifests.objects[0].object_label("x"), Some("y"));
    assert_eq!(
        sentences(&manifests),
        ["Service/a stands here and, with other content, at a.yaml:1:1"]
    );
    assert!(!manifests.problems.has_errors());
}

#[test]
fn the_same_kind_of_another_group_is_another_object() {
    let istio = "apiVersion: networking.istio.io/v1\nkind: Gateway\nmetadata: {name: a}\n";
    let gateway = "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: a}\n";

    assert_eq!(load_text("a.yaml", &format!("{istio}---\n{gateway}")).objects.len(), 2);
}

#[test]
fn bookkeeping_and_secrets_are_dropped() {
    let text = "\
apiVersion: v1
kind: Secret
metadata:
  name: s
  managedFields: [{manager: kubectl}]
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{\"kind\":\"Pod\"}'
    note: kept
data: {password: aHVudGVyMg==}
";
    let manifests = load_text("a.yaml", text);
    let secret = &manifests.objects[0];

    assert!(secret.node.get("data").is_none());
    assert!(secret.node.get_in(&["metadata", "managedFields"]).is_none());
    assert_eq!(secret.annotation("kubectl.kubernetes.io/last-applied-configuration"), None);
    assert_eq!(secret.annotation("note"), Some("kept"));
}

#[test]
fn yaml_inside_strings_is_no_object() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a.yaml: |\n    ---\n    apiVersion: v1\n    kind: Service\n";
    assert_eq!(labels(&load_text("a.yaml", text)), ["ConfigMap/c"]);
}

#[test]
fn unrendered_templates_name_the_command_and_are_never_half_read() {
    for template in [
        "{{- if .Values.on }}\napiVersion: v1\nkind: Service\n{{- end }}\n",
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}\n",
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}-web\n",
        "apiVersion: v1\nkind: Service\nmetadata:\n  labels:\n    {{- include \"labels\" . | nindent 4 }}\n",
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: \"{{ .Release.Name }}\"\n",
    ] {
        let manifests = load_text("t.yaml", &format!("{SERVICE}---\n{template}"));
        let hint = manifests.problems.errors().next().and_then(|problem| problem.hint.clone());

        assert!(hint.is_some_and(|hint| hint.contains("helm template")), "{template}");
        assert!(manifests.objects.len() <= 1);
    }
}

#[test]
fn helms_notes_are_cut_with_a_warning() {
    let text = format!(
        "NAME: demo\nLAST DEPLOYED: Mon Jan  1 10:00:00 2024\nMANIFEST:\n---\n# Source: demo/a.yaml\n{SERVICE}\nNOTES:\n1. Get the URL: run\n  export A=$(kubectl get)\n"
    );
    let manifests = load_text("out.yaml", &text);

    assert_eq!(labels(&manifests), ["Service/a"]);
    assert!(!manifests.problems.has_errors());
    assert_eq!(manifests.problems.warnings().count(), 1);
    assert_eq!(manifests.skipped.len(), 1);
}

#[test]
fn a_document_with_a_syntax_error_does_not_hide_the_next() {
    let text = format!("a: [1, 2\n---\n{SERVICE}---\nb: {{\n---\nc: *nowhere\n");
    let manifests = load_text("a.yaml", &text);

    assert_eq!(labels(&manifests), ["Service/a"]);
    assert_eq!(manifests.problems.errors().count(), 3, "{:?}", sentences(&manifests));
}

#[test]
fn an_object_without_api_version_is_an_error_and_other_yaml_is_skipped() {
    let manifests = load_text(
        "a.yaml",
        &format!("{SERVICE}---\nkind: Service\nmetadata: {{name: b}}\n---\nx: 1\n"),
    );

    assert_eq!(sentences(&manifests), ["apiVersion is missing"]);
    assert_eq!(manifests.skipped[0].place, "a.yaml:8");
}

#[test]
fn nothing_at_all_is_an_error() {
    assert!(load_text("a.yaml", "").problems.has_errors());
    assert!(load_text("a.yaml", "apiVersion: v1\nkind: List\nitems: []\n").problems.has_errors());
    assert!(load_model(Path::new("no/such/folder")).problems.has_errors());
}
