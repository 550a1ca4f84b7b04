//! What the plots show, read from the CSV files.

use std::collections::BTreeMap;
use std::path::Path;

use crate::experiment::result::in_order_of_appearance;
use crate::experiment::result::{Estimate, Statistic};
use crate::report::ReportError;
use crate::report::csv::expectations::ExpectationRow;
use crate::report::csv::read_rows;
use crate::report::csv::summary::SummaryRow;
use crate::report::csv::time_series::{RESPONSE_TIME_P99, TimeSeriesRow};

/// Everything plots are made of.
pub(super) struct PlotData {
    pub(super) experiment: String,
    /// The baseline first.
    pub(super) variants: Vec<String>,
    /// In the order of the sweep.
    pub(super) points: Vec<String>,
    /// Most replications of any estimate.
    pub(super) replications: usize,
    estimates: BTreeMap<Key, Estimate>,
    pub(super) expectations: Vec<ExpectationRow<'static>>,
    series: BTreeMap<SeriesKey, Series>,
}

/// Variant, point, scope, metric, statistic.
type Key = (String, String, String, String, String);

/// Variant, point, metric.
type SeriesKey = (String, String, String);

/// Values by the start of the window in microseconds, then by replication.
type Windows = BTreeMap<i64, BTreeMap<usize, f64>>;

/// The highest P99 of any pair of caller and callee, window by window: percentiles of several
/// pairs do not add up to one of the whole run.
pub(super) const SLOWEST_P99: &str = "slowest_response_time_p99";

/// A quantity over time: start of each window in seconds, mean over the replications.
pub(super) type Series = Vec<(f64, Estimate)>;

impl PlotData {
    /// Reads the CSV files in `folder`.
    pub(super) fn read(folder: &Path) -> Result<Self, ReportError> {
        let mut rows: Vec<SummaryRow<'static>> = Vec::new();
        read_rows(folder, |row| rows.push(row))?;
        let mut expectations = Vec::new();
        read_rows(folder, |row| expectations.push(row))?;
        let names = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        Ok(Self {
            experiment: rows.first().map(|row| row.experiment.to_string()).unwrap_or_default(),
            variants: names(in_order_of_appearance(rows.iter().map(|row| &*row.variant))),
            points: names(in_order_of_appearance(rows.iter().map(|row| &*row.point))),
            replications: rows.iter().map(|row| row.replications).max().unwrap_or(0),
            estimates: rows.into_iter().map(keyed).collect(),
            expectations,
            series: read_series(folder)?,
        })
    }

    /// One estimate of `summary.csv`.
    pub(super) fn estimate(
        &self,
        variant: &str,
        point: &str,
        scope: &str,
        metric: &str,
        statistic: Statistic,
    ) -> Option<Estimate> {
        let key = (variant, point, scope, metric, statistic.name());
        self.estimates.get(&owned(key)).copied()
    }

    /// `metric` over time in one cell; empty if it was not measured.
    pub(super) fn series(&self, variant: &str, point: &str, metric: &str) -> &[(f64, Estimate)] {
        let key = (variant.to_owned(), point.to_owned(), metric.to_owned());
        self.series.get(&key).map_or(&[], Vec::as_slice)
    }
}

fn owned(key: (&str, &str, &str, &str, &str)) -> Key {
    (key.0.into(), key.1.into(), key.2.into(), key.3.into(), key.4.into())
}

fn keyed(row: SummaryRow<'_>) -> (Key, Estimate) {
    let key = owned((&row.variant, &row.point, &row.scope, &row.metric, &row.statistic));
    let interval = row.ci_low.zip(row.ci_high);
    (key, Estimate { value: row.value, interval, replications: row.replications })
}

/// The time series of whole runs, and [`SLOWEST_P99`] of their parts.
fn read_series(folder: &Path) -> Result<BTreeMap<SeriesKey, Series>, ReportError> {
    let mut all: BTreeMap<SeriesKey, Windows> = BTreeMap::new();
    read_rows(folder, |row: TimeSeriesRow<'static>| {
        let metric = match (row.scope.is_empty(), &*row.metric) {
            (true, metric) => metric.to_owned(),
            (false, RESPONSE_TIME_P99) => SLOWEST_P99.to_owned(),
            (false, _) => return,
        };
        let windows = all.entry((row.variant.into(), row.point.into(), metric)).or_default();
        let microseconds = (row.t_s * 1e6).round() as i64;
        let replications = windows.entry(microseconds).or_default();
        let highest = replications.entry(row.replication).or_insert(row.value);
        *highest = highest.max(row.value);
    })?;
    Ok(all.into_iter().map(|(key, windows)| (key, averaged(&windows))).collect())
}

fn averaged(windows: &Windows) -> Series {
    let mean = |(&microseconds, values): (&i64, &BTreeMap<usize, f64>)| {
        let values: Vec<f64> = values.values().copied().collect();
        Estimate::of(&values).map(|estimate| (microseconds as f64 / 1e6, estimate))
    };
    windows.iter().filter_map(mean).collect()
}
