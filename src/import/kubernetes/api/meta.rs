//! Metadata and label selectors.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::cluster::selector::{Operator, Requirement, Selector};

/// `metadata` of an object or of a pod template.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ObjectMeta {
    pub(crate) name: String,
    pub(crate) namespace: Option<String>,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) annotations: BTreeMap<String, String>,
    pub(crate) owner_references: Vec<OwnerReference>,
    pub(crate) deletion_timestamp: Option<String>,
}

/// Who created an object.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct OwnerReference {
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) controller: bool,
}

impl ObjectMeta {
    pub(crate) fn namespace(&self) -> &str {
        self.namespace.as_deref().unwrap_or("default")
    }

    pub(crate) fn label(&self, key: &str) -> Option<&str> {
        self.labels.get(key).map(String::as_str)
    }

    pub(crate) fn annotation(&self, key: &str) -> Option<&str> {
        self.annotations.get(key).map(String::as_str)
    }

    /// The controller that owns the object.
    pub(crate) fn controller(&self) -> Option<&OwnerReference> {
        let managing = self.owner_references.iter().find(|owner| owner.controller);
        managing.or_else(|| self.owner_references.first())
    }
}

/// Labels as the cluster layer keeps them: pairs sorted by key.
pub(crate) fn sorted_labels(labels: &BTreeMap<String, String>) -> Vec<(String, String)> {
    labels.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// `metav1.LabelSelector`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct LabelSelector {
    pub(crate) match_labels: BTreeMap<String, String>,
    pub(crate) match_expressions: Vec<Expression>,
}

/// One condition of a selector.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Expression {
    pub(crate) key: String,
    pub(crate) operator: OperatorName,
    #[serde(default)]
    pub(crate) values: Vec<String>,
}

/// The operators' names; `Gt` and `Lt` belong to node selectors.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) enum OperatorName {
    In,
    NotIn,
    Exists,
    DoesNotExist,
    Gt,
    Lt,
}

impl From<&Expression> for Requirement {
    fn from(expression: &Expression) -> Self {
        let operator = match expression.operator {
            OperatorName::In => Operator::In,
            OperatorName::NotIn => Operator::NotIn,
            OperatorName::Exists => Operator::Exists,
            OperatorName::DoesNotExist => Operator::DoesNotExist,
            OperatorName::Gt => Operator::Gt,
            OperatorName::Lt => Operator::Lt,
        };
        Self { key: expression.key.clone(), operator, values: expression.values.clone() }
    }
}

impl From<&LabelSelector> for Selector {
    fn from(selector: &LabelSelector) -> Self {
        let mut checked = Self::of_labels(&selector.match_labels);
        checked.requirements.extend(selector.match_expressions.iter().map(Requirement::from));
        checked
    }
}
