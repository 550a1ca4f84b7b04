//! As much of a JSON Schema validator (draft 2020-12) as our schema needs.
//!
//! A keyword that it does not know is a panic: it would be a rule that nobody checks. Patterns
//! are for editors only and not checked.

use serde_json::Value;

/// Keywords that say nothing about what is valid, or nothing that is checked here.
const ANNOTATIONS: [&str; 8] =
    ["$schema", "$defs", "title", "description", "default", "format", "pattern", "examples"];

/// What is wrong with `value`, each with its path; nothing if `schema` takes it.
pub(crate) fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    Validator { root: schema }.check(schema, value, "", &mut faults);
    faults
}

struct Validator<'a> {
    root: &'a Value,
}

impl Validator<'_> {
    fn takes(&self, schema: &Value, value: &Value) -> bool {
        let mut faults = Vec::new();
        self.check(schema, value, "", &mut faults);
        faults.is_empty()
    }

    fn check(&self, schema: &Value, value: &Value, path: &str, faults: &mut Vec<String>) {
        let Value::Object(keywords) = schema else {
            if *schema == Value::Bool(false) {
                faults.push(format!("{path}: nothing may stand here"));
            }
            return;
        };
        for (keyword, rule) in keywords {
            match keyword.as_str() {
                "additionalProperties" => {
                    self.check_additional(keywords, rule, value, path, faults)
                }
                "properties" => self.check_properties(rule, value, path, faults),
                "items" => self.check_items(rule, value, path, faults),
                "$ref" => self.check(self.resolve(rule), value, path, faults),
                "allOf" => each(rule, |part| self.check(part, value, path, faults)),
                _ if ANNOTATIONS.contains(&keyword.as_str()) => {}
                _ if self.holds(keyword, rule, value) => {}
                _ => faults.push(format!("{path}: {value} against {keyword} {rule}")),
            }
        }
    }

    fn resolve(&self, reference: &Value) -> &Value {
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#'));
        pointer.and_then(|pointer| self.root.pointer(pointer)).expect("references lead somewhere")
    }

    /// Keywords that are a plain yes or no.
    fn holds(&self, keyword: &str, rule: &Value, value: &Value) -> bool {
        let taken = || list(rule).iter().filter(|part| self.takes(part, value)).count();
        let number = |holds: fn(f64, f64) -> bool| match (value.as_f64(), rule.as_f64()) {
            (Some(value), Some(bound)) => holds(value, bound),
            _ => true,
        };
        let length = |holds: fn(usize, u64) -> bool| match (value.as_array(), rule.as_u64()) {
            (Some(items), Some(bound)) => holds(items.len(), bound),
            _ => true,
        };
        match keyword {
            "type" if rule.is_array() => list(rule).iter().any(|kind| is_of_type(kind, value)),
            "type" => is_of_type(rule, value),
            "const" => rule == value,
            "enum" => list(rule).contains(value),
            "oneOf" => taken() == 1,
            "anyOf" => taken() >= 1,
            "minimum" => number(|value, bound| value >= bound),
            "maximum" => number(|value, bound| value <= bound),
            "exclusiveMinimum" => number(|value, bound| value > bound),
            "minItems" => length(|items, bound| items as u64 >= bound),
            "maxItems" => length(|items, bound| items as u64 <= bound),
            "required" => value.as_object().is_none_or(|fields| {
                list(rule).iter().filter_map(Value::as_str).all(|name| fields.contains_key(name))
            }),
            _ => panic!("the validator does not know `{keyword}`"),
        }
    }

    fn check_properties(&self, rule: &Value, value: &Value, path: &str, faults: &mut Vec<String>) {
        for (name, field) in value.as_object().into_iter().flatten() {
            if let Some(schema) = rule.get(name) {
                self.check(schema, field, &format!("{path}.{name}"), faults);
            }
        }
    }

    fn check_additional(
        &self,
        keywords: &serde_json::Map<String, Value>,
        rule: &Value,
        value: &Value,
        path: &str,
        faults: &mut Vec<String>,
    ) {
        let known = keywords.get("properties");
        for (name, field) in value.as_object().into_iter().flatten() {
            if known.and_then(|known| known.get(name)).is_none() {
                self.check(rule, field, &format!("{path}.{name}"), faults);
            }
        }
    }

    fn check_items(&self, rule: &Value, value: &Value, path: &str, faults: &mut Vec<String>) {
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            self.check(rule, item, &format!("{path}[{index}]"), faults);
        }
    }
}

fn list(rule: &Value) -> &[Value] {
    rule.as_array().map_or(&[], Vec::as_slice)
}

fn each(rule: &Value, check: impl FnMut(&Value)) {
    list(rule).iter().for_each(check);
}

fn is_of_type(kind: &Value, value: &Value) -> bool {
    match kind.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("number") => value.is_number(),
        // A whole float is an integer to JSON Schema.
        Some("integer") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        other => panic!("the validator does not know the type {other:?}"),
    }
}
