//! Runs: the only place where engine and domain meet.

mod audit;
mod build;
mod clients;
mod connection;
#[cfg(test)]
mod conservation;
mod cpu;
mod delays;
mod event;
mod exchange;
mod flags;
mod forwarding;
mod observer;
mod opening;
mod path_query;
mod pooling;
mod process;
mod proxying;
mod route;
mod serving;
mod stations;
mod summarize;
pub mod summary;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tunnels;
mod world;

use crate::engine::{EventDigest, RandomStreams, Schedule, run_digested};
use crate::scenario::Scenario;
use crate::units::{SimDuration, SimTime};

pub use path_query::path_query;
use summary::RunSummary;
use world::MeshWorld;

/// Windows that the measured part is cut into for time series, if it is long enough.
const WINDOWS: u64 = 60;

/// The shortest window.
const SHORTEST_WINDOW: SimDuration = SimDuration::from_secs(1);

/// Simulates `scenario` once: a pure function of its arguments.
///
/// Load generators stop at the end of the measured part; requests that started in it are
/// followed to their end, at most for their client's timeout.
pub fn simulate(scenario: &Scenario, seed: u64, replication: u64) -> RunSummary {
    let window = (scenario.duration / WINDOWS).max(SHORTEST_WINDOW);
    let mut schedule = Schedule::new();
    let streams = RandomStreams::new(seed, replication);
    let mut world = MeshWorld::build(scenario, streams, window, &mut schedule);
    let mut digest = EventDigest::default();
    let ends_at = SimTime::ZERO + scenario.warm_up + scenario.duration;
    let mut events = run_digested(&mut world, &mut schedule, ends_at, &mut digest);
    let patience = scenario.loads.iter().map(|load| load.timeout).max().unwrap_or_default();
    let step = SimDuration::from_millis(10);
    while world.observer.outstanding > 0 && schedule.now() <= ends_at + patience + step {
        let until = schedule.now() + step;
        events += run_digested(&mut world, &mut schedule, until, &mut digest);
    }
    if cfg!(debug_assertions) {
        world.assert_laws(schedule.now());
    }
    world.summarize(window.as_secs_f64(), events, digest.value())
}
