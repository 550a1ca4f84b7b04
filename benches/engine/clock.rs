//! Time taken, without the time in which other programs had the processor.

/// Nanoseconds for each of the events that `run` counts.
#[expect(clippy::disallowed_types, reason = "a benchmark measures real time")]
pub(crate) fn nanos_per_event(run: impl FnOnce() -> u64) -> f64 {
    let wall = std::time::Instant::now();
    let before = processor_time_ns();
    let events = run();
    let taken = match (before, processor_time_ns()) {
        (Some(before), Some(after)) => (after - before) as f64,
        _ => wall.elapsed().as_secs_f64() * 1e9,
    };
    taken / events as f64
}

/// Time that this thread has been on a processor; `None` where the kernel does not tell.
///
/// Source: Linux, Documentation/scheduler/sched-stats.rst, `/proc/<pid>/schedstat`, first field.
fn processor_time_ns() -> Option<u64> {
    // The kernel brings the figure up to date when a thread gives way.
    std::thread::yield_now();
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    statistics.split_whitespace().next()?.parse().ok()
}
