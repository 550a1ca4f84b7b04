//! Taints of nodes and what pods tolerate.
//!
//! Source: kubernetes.io "Taints and Tolerations" (1.33).

/// What a taint does to pods that do not tolerate it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaintEffect {
    /// They are not placed.
    NoSchedule,
    /// They are placed elsewhere if possible.
    PreferNoSchedule,
    /// They are not placed, and evicted if they run already.
    NoExecute,
}

/// A taint of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taint {
    /// Its key.
    pub key: String,
    /// Its value; may be empty.
    pub value: String,
    /// What it does.
    pub effect: TaintEffect,
}

/// What a pod tolerates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toleration {
    /// The taint's key; `None` is any.
    pub key: Option<String>,
    /// The taint's value; `None` is any (operator `Exists`).
    pub value: Option<String>,
    /// The taint's effect; `None` is any.
    pub effect: Option<TaintEffect>,
}

impl Toleration {
    /// Any taint with this key.
    pub fn of_key(key: impl Into<String>) -> Self {
        Self { key: Some(key.into()), value: None, effect: None }
    }

    /// Whether it covers `taint`.
    pub fn covers(&self, taint: &Taint) -> bool {
        self.key.as_ref().is_none_or(|key| *key == taint.key)
            && self.value.as_ref().is_none_or(|value| *value == taint.value)
            && self.effect.is_none_or(|effect| effect == taint.effect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toleration_covers_what_it_names_and_whatever_it_leaves_open() {
        let taint = Taint {
            key: "dedicated".to_owned(),
            value: "mesh".to_owned(),
            effect: TaintEffect::NoSchedule,
        };
        let exact = Toleration {
            key: Some("dedicated".to_owned()),
            value: Some("mesh".to_owned()),
            effect: Some(TaintEffect::NoSchedule),
        };
        assert!(exact.covers(&taint));
        assert!(Toleration::default().covers(&taint));
        assert!(Toleration::of_key("dedicated").covers(&taint));
        assert!(!Toleration { value: Some("db".to_owned()), ..exact.clone() }.covers(&taint));
        assert!(!Toleration { effect: Some(TaintEffect::NoExecute), ..exact }.covers(&taint));
    }
}
