//! In steady state nothing allocates per event: a run twice as long allocates no more.
//!
//! Counted on this thread by the crate `allocation-counter`. Maps of the standard library are
//! not used by runs at all (clippy bans them), so nothing hashes per event either.

use std::path::Path;

use meshsim::experiment::{Experiment, Options, load};
use meshsim::simulation::simulate;
use meshsim::units::SimDuration;

/// What a run of `seconds` allocates and how many events it handles.
fn run(experiment: &Experiment, variant: usize, seconds: u64) -> (u64, u64) {
    let mut scenario = experiment.points[1].cells[variant].scenario.clone();
    scenario.duration = SimDuration::from_secs(seconds);
    // The node stalls of a longer run are told one by one; they are not the steady state.
    std::sync::Arc::make_mut(&mut scenario.costs).stall_interval = 0.0;
    let mut events = 0;
    let measured = allocation_counter::measure(|| {
        events = simulate(&scenario, 1, 0).event_count;
    });
    (measured.count_total, events)
}

#[test]
fn a_longer_run_allocates_no_more_than_a_short_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/latency-by-data-plane");
    let experiment = load(&folder, &Options::default()).expect("the main experiment is valid");
    for (variant, cell) in experiment.points[1].cells.iter().enumerate() {
        let (short, few) = run(&experiment, variant, 60);
        let (long, many) = run(&experiment, variant, 180);
        let further_events = many - few;
        assert!(further_events > 800_000, "{further_events} events");
        // Queues and histograms may still grow a few times while rare extremes come along.
        let further = long.saturating_sub(short);
        assert!(further <= 64, "{}: {further} more in {further_events} events", cell.variant);
    }
}
