//! Selectors over labels, as Services, affinities and spread constraints use them.
//!
//! Source: kubernetes/apimachinery, `pkg/labels/selector.go`; `Gt` and `Lt` belong to node
//! affinity only.

/// How the values of a [`Requirement`] are compared with a label's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The label is there and has one of the values.
    In,
    /// The label is absent or has none of the values.
    NotIn,
    /// The label is there.
    Exists,
    /// The label is absent.
    DoesNotExist,
    /// The label is an integer above the one value.
    Gt,
    /// The label is an integer below the one value.
    Lt,
}

/// One condition on one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The label's key.
    pub key: String,
    /// The comparison.
    pub operator: Operator,
    /// What it is compared with.
    pub values: Vec<String>,
}

impl Requirement {
    /// The label `key` has the value `value`.
    pub fn equals(key: impl Into<String>, value: impl Into<String>) -> Self {
        Self { key: key.into(), operator: Operator::In, values: vec![value.into()] }
    }

    fn matches(&self, labels: &[(String, String)]) -> bool {
        let value = label(labels, &self.key);
        let is_listed = |value: &str| self.values.iter().any(|listed| listed == value);
        match self.operator {
            Operator::In => value.is_some_and(is_listed),
            Operator::NotIn => !value.is_some_and(is_listed),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::Gt => self.compares(value, |label, bound| label > bound),
            Operator::Lt => self.compares(value, |label, bound| label < bound),
        }
    }

    fn compares(&self, value: Option<&str>, holds: fn(i64, i64) -> bool) -> bool {
        let bound = self.values.first().and_then(|bound| bound.parse().ok());
        let value = value.and_then(|value| value.parse().ok());
        value.zip(bound).is_some_and(|(value, bound)| holds(value, bound))
    }
}

/// Conditions that must all hold; an empty selector selects everything.
///
/// Where Kubernetes knows a missing selector too (which selects nothing), it is an
/// `Option<Selector>` here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    /// All of them must hold.
    pub requirements: Vec<Requirement>,
}

impl Selector {
    /// Selects what has all these labels (`matchLabels`).
    pub fn of_labels<'a>(labels: impl IntoIterator<Item = (&'a String, &'a String)>) -> Self {
        let equals = |(key, value): (&String, &String)| Requirement::equals(key, value);
        Self { requirements: labels.into_iter().map(equals).collect() }
    }

    /// Whether something with these labels, sorted by key, is selected.
    pub fn matches(&self, labels: &[(String, String)]) -> bool {
        self.requirements.iter().all(|requirement| requirement.matches(labels))
    }
}

/// The value of the label `key` in `labels`, which are sorted by key.
pub fn label<'a>(labels: &'a [(String, String)], key: &str) -> Option<&'a str> {
    let found = labels.binary_search_by(|(candidate, _)| candidate.as_str().cmp(key)).ok()?;
    Some(&labels[found].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(operator: Operator, values: &[&str], label: Option<&str>) -> bool {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        let requirement = Requirement { key: "tier".to_owned(), operator, values };
        let labels: Vec<_> =
            label.map(|value| ("tier".to_owned(), value.to_owned())).into_iter().collect();
        Selector { requirements: vec![requirement] }.matches(&labels)
    }

    #[test]
    fn an_empty_selector_selects_everything() {
        assert!(Selector::default().matches(&[]));
    }

    #[test]
    fn absent_labels_fail_in_and_pass_not_in() {
        assert!(selects(Operator::In, &["a", "b"], Some("b")));
        assert!(!selects(Operator::In, &["a", "b"], None));
        assert!(selects(Operator::NotIn, &["a"], None));
        assert!(!selects(Operator::NotIn, &["a"], Some("a")));
        assert!(selects(Operator::Exists, &[], Some("")));
        assert!(selects(Operator::DoesNotExist, &[], None));
    }

    #[test]
    fn gt_and_lt_compare_integers_and_fail_on_anything_else() {
        assert!(selects(Operator::Gt, &["3"], Some("10")));
        assert!(!selects(Operator::Gt, &["3"], Some("3")));
        assert!(selects(Operator::Lt, &["3"], Some("-1")));
        assert!(!selects(Operator::Lt, &["3"], Some("many")));
    }
}
