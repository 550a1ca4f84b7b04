//! `timeseries.csv`: what ended in each window of each replication.

use std::borrow::Cow;
use std::iter;

use super::{Place, number, places};
use crate::experiment::result::ExperimentResult;
use crate::experiment::result::measure::by_pair;
use crate::simulation::summary::{RunSummary, SourceSummary, Window};
use crate::units::SimDuration;

/// Requests that ended per second.
pub const REQUEST_RATE: &str = "request_rate";
/// Failed requests that ended per second.
pub const FAILURE_RATE: &str = "failure_rate";
/// Requests per second that ended and did not fail.
pub const GOODPUT: &str = "goodput";
/// Median of the response times that ended in the window.
pub const RESPONSE_TIME_P50: &str = "response_time_p50";
/// 99th percentile of the response times that ended in the window.
pub const RESPONSE_TIME_P99: &str = "response_time_p99";

super::row! {
    /// One number of one window.
    TimeSeriesRow in "timeseries.csv" {
        /// Replication, counted from 0.
        replication: usize,
        /// Of what; empty for all load generators together.
        scope: Cow<'a, str>,
        /// What is measured.
        metric: Cow<'a, str>,
        /// Start of the window in seconds since the end of the warm-up.
        #[serde(serialize_with = "number::serialize")]
        t_s: f64,
        /// The number.
        #[serde(serialize_with = "number::serialize")]
        value: f64,
        /// Its unit.
        unit: Cow<'a, str>,
    }
}

/// All rows: cell by cell, replication by replication, the whole before its sources.
pub fn rows(result: &ExperimentResult) -> impl Iterator<Item = TimeSeriesRow<'_>> {
    places(result).flat_map(|place| {
        scopes(place.run)
            .into_iter()
            .flat_map(move |(scope, windows)| rows_of_scope(place, scope, windows))
    })
}

fn rows_of_scope(
    place: Place<'_>,
    scope: String,
    windows: Vec<Window>,
) -> impl Iterator<Item = TimeSeriesRow<'_>> {
    let window_s = place.run.window_s;
    windows.into_iter().enumerate().flat_map(move |(index, window)| {
        let scope = scope.clone();
        let t_s = index as f64 * window_s;
        numbers(&window, window_s).into_iter().map(move |number| row(place, &scope, t_s, number))
    })
}

fn row<'a>(
    place: Place<'a>,
    scope: &str,
    t_s: f64,
    (metric, value, unit): (&'static str, f64, &'static str),
) -> TimeSeriesRow<'a> {
    TimeSeriesRow {
        experiment: place.experiment.into(),
        variant: place.variant.into(),
        point: place.point.into(),
        replication: place.replication,
        scope: scope.to_owned().into(),
        metric: metric.into(),
        t_s,
        value,
        unit: unit.into(),
    }
}

/// The whole run, and each pair of caller and callee if there are several.
fn scopes(run: &RunSummary) -> Vec<(String, Vec<Window>)> {
    let whole = run.load_generators();
    let whole = iter::once((String::new(), windows_of(&whole)));
    let pairs = by_pair(&run.sources);
    if pairs.len() < 2 {
        return whole.collect();
    }
    whole.chain(pairs.into_iter().map(|(pair, sources)| (pair, windows_of(&sources)))).collect()
}

/// Percentiles of several load generators do not add up to one of all, which then has none.
fn windows_of(sources: &[&SourceSummary]) -> Vec<Window> {
    if let [only] = sources {
        return only.windows.clone();
    }
    let length = sources.iter().map(|source| source.windows.len()).max().unwrap_or(0);
    let mut windows = vec![Window::default(); length];
    for source in sources {
        for (sum, window) in windows.iter_mut().zip(&source.windows) {
            sum.requests += window.requests;
            sum.failed_requests += window.failed_requests;
        }
    }
    windows
}

/// Metric, value and unit of everything told of a window; percentiles only if there are answers.
fn numbers(window: &Window, window_s: f64) -> Vec<(&'static str, f64, &'static str)> {
    let per_second = |count: u64| count as f64 / window_s;
    let good = window.requests.saturating_sub(window.failed_requests);
    let percentile = |metric, value: Option<SimDuration>| {
        value.map(|value| (metric, value.as_millis_f64(), "ms"))
    };
    let rates = [
        (REQUEST_RATE, per_second(window.requests), "req/s"),
        (FAILURE_RATE, per_second(window.failed_requests), "req/s"),
        (GOODPUT, per_second(good), "req/s"),
    ];
    let p50 = percentile(RESPONSE_TIME_P50, window.response_time_p50);
    let p99 = percentile(RESPONSE_TIME_P99, window.response_time_p99);
    rates.into_iter().chain(p50).chain(p99).collect()
}
