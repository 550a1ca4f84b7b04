//! Text that is not YAML yet, or not any more: unrendered templates and Helm's `NOTES:`.

/// What to do about a template.
pub(crate) const RENDER_HINT: &str =
    "render the template first: `helm template RELEASE CHART | meshsim check -`";

/// Words and marks that follow `{{` in Go templates, and hardly ever in YAML flow mappings.
const TEMPLATE_WORDS: [&str; 16] = [
    ".",
    "$",
    "/*",
    "if ",
    "else",
    "end",
    "range ",
    "with ",
    "include ",
    "define ",
    "template ",
    "block ",
    "toYaml ",
    "default ",
    "printf ",
    "quote ",
];

/// Offset of the first `{{ … }}` that looks like a template action.
pub(super) fn first_action(text: &str) -> Option<usize> {
    text.match_indices("{{").map(|(at, _)| at).find(|&at| {
        let action = text[at + 2..].trim_start_matches(['-', ' ']);
        TEMPLATE_WORDS.iter().any(|word| action.starts_with(word))
            || (action.starts_with("end") || action.starts_with("else"))
    })
}

/// Whether a name holds a template action, which no name of an object can.
pub(crate) fn is_templated(name: &str) -> bool {
    name.contains("{{") && name.contains("}}")
}

/// Where Helm's `NOTES:` begin, in output of `helm install --dry-run` or `helm get all`.
pub(super) fn notes(text: &str) -> Option<usize> {
    let rendered_by_helm = text.starts_with("# Source: ")
        || text.contains("\n# Source: ")
        || text.contains("\nMANIFEST:");
    if !rendered_by_helm {
        return None;
    }
    text.match_indices("\nNOTES:").map(|(at, _)| at + 1).find(|&at| {
        text[at + "NOTES:".len()..].starts_with(['\n', '\r']) || at + "NOTES:".len() == text.len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn template_actions_are_told_from_flow_mappings() {
        for text in [
            "{{ .Values.a }}",
            "{{- if .x }}",
            "{{- end }}",
            "a: {{include \"x\" .}}",
            "{{- $x := 1 }}",
        ] {
            assert!(first_action(text).is_some(), "{text}");
        }
        for text in ["{a: {b: 1}}", "[{a: {b: c}}]", "{{a: b}: c}", "plain"] {
            assert_eq!(first_action(text), None, "{text}");
        }
    }

    #[test]
    fn notes_are_cut_only_from_what_helm_rendered() {
        let rendered = "---\n# Source: a/b.yaml\nkind: A\nNOTES:\n1. Get the URL\n";
        assert_eq!(notes(rendered), rendered.find("NOTES:"));
        assert_eq!(notes("a: 1\nNOTES:\n  b\n"), None);
    }
}
