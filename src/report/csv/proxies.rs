//! `proxies.csv`: one row per proxy and replication.
//!
//! After the fixed columns come Envoy's and Istio's own counters, one column each, sorted by
//! name: those that any proxy of the experiment has. A proxy without one leaves it empty.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Place, number, per_replication};
use crate::experiment::result::ExperimentResult;
use crate::report::ReportError;
use crate::simulation::summary::{ProxySummary, RunSummary};

/// Name of the file.
pub const FILE: &str = "proxies.csv";

/// The columns before the counters.
pub const COLUMNS: &[&str] = &[
    "experiment",
    "variant",
    "point",
    "replication",
    "proxy",
    "kind",
    "workload",
    "node",
    "workers",
    "cpu_cores",
    "cpu_us_per_request",
    "memory_mib",
    "queue_wait_us",
    "requests",
];

/// Writes the file into `folder`.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write(result: &ExperimentResult, folder: &Path) -> Result<(), ReportError> {
    let path = folder.join(FILE);
    let failed = |error| ReportError::csv(&path, error);
    let counters = counters(result);
    let mut writer = csv::Writer::from_path(&path).map_err(failed)?;
    writer.write_record(COLUMNS.iter().chain(&counters)).map_err(failed)?;
    for (place, proxy) in per_replication(result, |run| &run.proxies) {
        let record = fixed(&place, proxy).into_iter();
        let record = record.chain(counters.iter().map(|counter| count(proxy, counter)));
        writer.write_record(record).map_err(failed)?;
    }
    writer.flush().map_err(|error| ReportError::io(&path, error))
}

fn counters(result: &ExperimentResult) -> BTreeSet<&'static str> {
    let all = per_replication(result, |run| &run.proxies);
    all.flat_map(|(_, proxy)| proxy.counters.iter().map(|(name, _)| *name)).collect()
}

fn count(proxy: &ProxySummary, counter: &str) -> String {
    let found = proxy.counters.iter().find(|(name, _)| *name == counter);
    found.map(|(_, count)| count.to_string()).unwrap_or_default()
}

fn fixed(place: &Place<'_>, proxy: &ProxySummary) -> Vec<String> {
    // Nothing per nothing is no number, which `number::text` leaves empty.
    let per = |nanoseconds: u64, count: u64| nanoseconds as f64 / 1e3 / count as f64;
    vec![
        place.experiment.to_owned(),
        place.variant.to_owned(),
        place.point.to_owned(),
        place.replication.to_string(),
        proxy.proxy.clone(),
        proxy.kind.label().to_owned(),
        proxy.workload.clone(),
        proxy.node.clone(),
        proxy.workers.to_string(),
        number::text(cores(place.run, proxy)),
        number::text(per(proxy.cpu_ns, proxy.requests)),
        number::text(proxy.memory_bytes as f64 / f64::from(1 << 20)),
        number::text(per(proxy.queue_wait_ns, proxy.visits)),
        proxy.requests.to_string(),
    ]
}

fn cores(run: &RunSummary, proxy: &ProxySummary) -> f64 {
    proxy.cpu_ns as f64 / 1e9 / run.measured_s
}
