//! `responses.csv`: responses by code and Envoy response flags, as each reporter counted them.

use std::borrow::Cow;

use crate::experiment::result::ExperimentResult;

super::row! {
    /// Responses of one kind in one replication.
    ResponseRow in "responses.csv" {
        /// Replication, counted from 0.
        replication: usize,
        /// Calling workload, or `external`.
        source: Cow<'a, str>,
        /// Service or workload called.
        destination: Cow<'a, str>,
        /// Who counted.
        reporter: Cow<'a, str>,
        /// HTTP status; 0 is no HTTP answer.
        response_code: u16,
        /// Envoy's response flags.
        response_flags: Cow<'a, str>,
        /// How many.
        requests: u64,
    }
}

/// All rows: cell by cell, replication by replication, in the order of the run's summary.
pub fn rows(result: &ExperimentResult) -> impl Iterator<Item = ResponseRow<'_>> {
    super::per_replication(result, |run| &run.responses).map(|(place, response)| ResponseRow {
        experiment: place.experiment.into(),
        variant: place.variant.into(),
        point: place.point.into(),
        replication: place.replication,
        source: response.source.as_str().into(),
        destination: response.destination.as_str().into(),
        reporter: response.reporter.label().into(),
        response_code: response.response_code,
        response_flags: response.response_flags.as_str().into(),
        requests: response.requests,
    })
}
