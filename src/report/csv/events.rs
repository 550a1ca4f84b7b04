//! `events.csv`: what happened when.

use std::borrow::Cow;

use super::number;
use crate::experiment::result::ExperimentResult;

super::row! {
    /// Something worth telling that happened in one replication.
    EventRow in "events.csv" {
        /// Replication, counted from 0.
        replication: usize,
        /// Seconds since the end of the warm-up; negative before.
        #[serde(serialize_with = "number::serialize")]
        t_s: f64,
        /// What happened.
        event: Cow<'a, str>,
        /// To whom: a pod, proxy or node.
        subject: Cow<'a, str>,
        /// Further words; may be empty.
        detail: Cow<'a, str>,
    }
}

/// All rows: cell by cell, replication by replication, as they happened.
pub fn rows(result: &ExperimentResult) -> impl Iterator<Item = EventRow<'_>> {
    super::per_replication(result, |run| &run.events).map(|(place, event)| EventRow {
        experiment: place.experiment.into(),
        variant: place.variant.into(),
        point: place.point.into(),
        replication: place.replication,
        t_s: event.t_s,
        event: event.event.into(),
        subject: event.subject.as_str().into(),
        detail: event.detail.as_str().into(),
    })
}
