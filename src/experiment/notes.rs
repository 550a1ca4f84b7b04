//! What there is to tell about the models of an experiment.

use std::collections::BTreeSet;

use crate::import::kubernetes::{Coverage, Effect};

/// Sentences about models, each once: variants and points share most of them.
#[derive(Default)]
pub(super) struct Notes {
    /// What is taken for granted or left out.
    pub(super) assumptions: Vec<String>,
    /// What will not run as the user may think.
    pub(super) warnings: Vec<String>,
    seen: BTreeSet<String>,
}

impl Notes {
    /// Adds an assumption.
    pub(super) fn assume(&mut self, sentence: String) {
        if self.seen.insert(sentence.clone()) {
            self.assumptions.push(sentence);
        }
    }

    fn warn(&mut self, sentence: String) {
        if self.seen.insert(sentence.clone()) {
            self.warnings.push(sentence);
        }
    }

    /// Adds what `coverage` tells and what matters of it.
    pub(super) fn take(&mut self, coverage: &Coverage) {
        for assumption in &coverage.assumptions {
            self.assume(format!(
                "{}: {}, because {}.",
                assumption.subject, assumption.assumed, assumption.because
            ));
        }
        for kind in coverage.ignored_objects.iter().filter(|kind| kind.effect != Effect::None) {
            let are = if kind.objects.len() == 1 { "is" } else { "are" };
            let names = kind.objects.join(", ");
            self.assume(format!("{} {names} {are} left out: {}.", kind.kind, kind.why));
        }
        for field in coverage.ignored_fields.iter().filter(|field| field.effect != Effect::None) {
            self.assume(format!("{} {} is left out: {}.", field.kind, field.path, field.why));
        }
        for warning in &coverage.warnings {
            self.warn(format!("{} {}", warning.object, warning.message));
        }
    }
}
