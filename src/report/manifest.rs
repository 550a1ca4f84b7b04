//! `run.json`: what was run, from what, and how long it took.
//!
//! All of it follows from the inputs and the seed, except what stands under `wall_clock`.

use std::path::Path;

use serde::Serialize;

use super::ReportError;
use super::output_folder::replace_file;
use crate::experiment::result::{Cell, ExperimentResult, Verdict};

/// Name of the file.
pub const FILE: &str = "run.json";

/// How the run went on the machine it ran on; differs from run to run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct WallClock {
    /// When it started, as RFC 3339.
    pub started: String,
    /// How long the simulation took, in seconds.
    pub seconds: f64,
    /// Threads that simulated.
    pub threads: usize,
}

#[derive(Serialize)]
struct Manifest<'a> {
    meshsim: &'static str,
    experiment: &'a str,
    question: &'a str,
    command: &'a str,
    seed: u64,
    inputs: Vec<ManifestInput<'a>>,
    cells: Vec<ManifestCell<'a>>,
    replications: usize,
    events: u64,
    expectations: Expectations,
    wall_clock: ManifestWallClock<'a>,
}

#[derive(Serialize)]
struct ManifestInput<'a> {
    path: &'a str,
    digest: &'a str,
}

#[derive(Serialize)]
struct ManifestCell<'a> {
    variant: &'a str,
    point: &'a str,
    replications: usize,
    measured_s: f64,
    window_s: f64,
    events: u64,
    /// One per replication: the digest over all its events, in hexadecimal.
    digests: Vec<String>,
}

#[derive(Serialize)]
struct Expectations {
    met: usize,
    missed: usize,
    unmeasured: usize,
}

#[derive(Serialize)]
struct ManifestWallClock<'a> {
    #[serde(flatten)]
    clock: &'a WallClock,
    events_per_second: f64,
}

/// Writes the manifest of `result` into `folder`.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write(
    result: &ExperimentResult,
    clock: &WallClock,
    folder: &Path,
) -> Result<(), ReportError> {
    let path = folder.join(FILE);
    let text = serde_json::to_string_pretty(&manifest(result, clock));
    let text = text.map_err(|error| ReportError::io(&path, error.into()))?;
    replace_file(&path, (text + "\n").as_bytes())
}

fn manifest<'a>(result: &'a ExperimentResult, clock: &'a WallClock) -> Manifest<'a> {
    let inputs = result.inputs.iter();
    let events = result.cells.iter().map(events).sum::<u64>();
    Manifest {
        meshsim: env!("CARGO_PKG_VERSION"),
        experiment: &result.name,
        question: &result.question,
        command: &result.command,
        seed: result.seed,
        inputs: inputs
            .map(|input| ManifestInput { path: &input.path, digest: &input.digest })
            .collect(),
        cells: result.cells.iter().map(cell).collect(),
        replications: result.cells.iter().map(|cell| cell.replications.len()).sum(),
        events,
        expectations: expectations(result),
        wall_clock: ManifestWallClock { clock, events_per_second: rate(events, clock.seconds) },
    }
}

fn cell(cell: &Cell) -> ManifestCell<'_> {
    let first = cell.replications.first();
    ManifestCell {
        variant: &cell.variant,
        point: &cell.point,
        replications: cell.replications.len(),
        measured_s: first.map_or(0.0, |run| run.measured_s),
        window_s: first.map_or(0.0, |run| run.window_s),
        events: events(cell),
        digests: cell.replications.iter().map(|run| format!("{:016x}", run.digest)).collect(),
    }
}

fn events(cell: &Cell) -> u64 {
    cell.replications.iter().map(|run| run.event_count).sum()
}

fn expectations(result: &ExperimentResult) -> Expectations {
    let count = |verdict| result.checks.iter().filter(|check| check.verdict == verdict).count();
    Expectations {
        met: count(Verdict::Met),
        missed: count(Verdict::Missed),
        unmeasured: count(Verdict::Unmeasured),
    }
}

fn rate(events: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { (events as f64 / seconds).round() } else { 0.0 }
}
