//! The hold model: what a pop and a push cost at a constant number pending.

use std::hint::black_box;

use meshsim::engine::{
    Exponential, LogNormal, Purpose, RandomStreams, Schedule, Stream, World, run,
};
use meshsim::units::SimDuration;
use rand::RngExt;
use rand_distr::Distribution;

use crate::ROUNDS;
use crate::clock::nanos_per_event;
use crate::heaps::{BinaryHeapLoop, Entry, FourAryHeapLoop, Heap};

/// Delays drawn beforehand, so that sampling is not measured: a power of two.
const DELAYS: usize = 1 << 16;

/// Delays until an event happens, in nanoseconds, and how the first ones are chosen.
struct Delays {
    nanos: Vec<u64>,
    first: First,
}

/// How long the first events have to wait.
#[derive(Clone, Copy)]
enum First {
    /// What is left of a delay at a random time: the pending events are mixed from the start.
    Rest,
    /// A whole delay: events begin together, and those that can meet again do.
    Whole,
}

pub(crate) fn table() -> String {
    let mut table = String::from(
        "Hold model, ns per pop and push\n\
         delays                      pending   engine   std heap   4-ary heap   std/engine   4-ary/engine\n",
    );
    for (name, first, nanos) in [
        ("exponential, mean 1 ms", First::Rest, exponential()),
        ("lognormal, cv 10", First::Rest, lognormal()),
        ("work and 3 s timers", First::Rest, work_and_timers()),
        ("all 1 ms", First::Rest, vec![1_000_000; DELAYS]),
        ("ties on whole ms", First::Whole, whole_milliseconds()),
    ] {
        let delays = Delays { nanos, first };
        for pending in [10, 1_000, 100_000, 1_000_000] {
            table += &row(name, pending, &delays);
        }
    }
    table
}

fn row(name: &str, pending: usize, delays: &Delays) -> String {
    let mut best = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        let measured = [
            hold_in_engine(pending, delays),
            hold_in_heap::<BinaryHeapLoop<u64>>(pending, delays),
            hold_in_heap::<FourAryHeapLoop<u64>>(pending, delays),
        ];
        best = std::array::from_fn(|i| best[i].min(measured[i]));
    }
    let [engine, std_heap, four_ary] = best;
    format!(
        "{name:25} {pending:9} {engine:8.1} {std_heap:10.1} {four_ary:12.1} {:12.2} {:14.2}\n",
        std_heap / engine,
        four_ary / engine,
    )
}

/// Pops and pushes to measure, after as many as are pending to settle.
fn holds(pending: usize) -> usize {
    (2 * pending).max(1_000_000)
}

/// Schedules each event again; stops after a number of events.
struct Holding<'a> {
    delays: &'a [u64],
    handled: usize,
}

impl World for Holding<'_> {
    type Event = u64;

    #[inline]
    fn handle(&mut self, event: u64, schedule: &mut Schedule<u64>) {
        let delay = self.delays[self.handled % DELAYS];
        self.handled += 1;
        schedule.after(SimDuration::from_nanos(delay), event);
    }
}

fn hold_in_engine(pending: usize, delays: &Delays) -> f64 {
    let mut schedule = Schedule::new();
    for (wait, event) in delays.first_waits(pending).zip(0..) {
        schedule.after(SimDuration::from_nanos(wait), event);
    }
    let mut world = Holding { delays: &delays.nanos, handled: 0 };
    let mut hold = |count: usize| {
        // The engine runs for a time, not for a count: take steps of some 1,000 events.
        let mean = delays.nanos.iter().sum::<u64>() / DELAYS as u64;
        let step = SimDuration::from_nanos(1_000 * mean / pending as u64 + 1);
        let (before, enough) = (world.handled, world.handled + count);
        while world.handled < enough {
            let end = schedule.now() + step;
            run(&mut world, &mut schedule, end);
        }
        (world.handled - before) as u64
    };
    hold(pending);
    nanos_per_event(|| hold(holds(pending)))
}

fn hold_in_heap<H: Heap<u64>>(pending: usize, delays: &Delays) -> f64 {
    let mut heap = H::new();
    for (due, event) in delays.first_waits(pending).zip(0..) {
        heap.push(Entry { due, event });
    }
    let mut handled = 0;
    let mut hold = |count: usize| {
        for _ in 0..count {
            let delay = delays.nanos[handled % DELAYS];
            handled += 1;
            heap.replace_first(|first| Entry { due: first.due + delay, ..black_box(first) });
        }
        count as u64
    };
    hold(pending);
    nanos_per_event(|| hold(holds(pending)))
}

impl Delays {
    fn first_waits(&self, pending: usize) -> impl Iterator<Item = u64> {
        // A long delay is found at a random time more often than a short one.
        let mut stream = RandomStreams::new(1, 0).stream(Purpose::Arrivals, 0);
        let ends: Vec<u64> = self
            .nanos
            .iter()
            .scan(0, |end, delay| {
                *end += delay;
                Some(*end)
            })
            .collect();
        (0..pending).map(move |_| {
            let place = stream.random_range(0..ends[DELAYS - 1]);
            let found = ends.partition_point(|&end| end <= place);
            match self.first {
                First::Rest => ends[found] - place,
                First::Whole => self.nanos[found],
            }
        })
    }
}

fn draws(mut draw: impl FnMut(&mut Stream) -> SimDuration) -> Vec<u64> {
    let mut stream = RandomStreams::new(1, 0).stream(Purpose::ServiceTime, 0);
    (0..DELAYS).map(|_| draw(&mut stream).as_nanos()).collect()
}

fn exponential() -> Vec<u64> {
    let exponential = Exponential::with_mean(SimDuration::from_millis(1));
    draws(|stream| exponential.sample(stream))
}

fn lognormal() -> Vec<u64> {
    let lognormal = LogNormal::from_mean_cv(SimDuration::from_millis(1), 10.0)
        .expect("mean and cv are positive");
    draws(|stream| lognormal.sample(stream))
}

/// Many events of one instant, as in-step clients cause them.
fn whole_milliseconds() -> Vec<u64> {
    draws(|stream| SimDuration::from_millis(stream.random_range(1..5)))
}

/// One in ten is a timer that mostly expires for nothing; the rest is work of up to 100 µs.
fn work_and_timers() -> Vec<u64> {
    draws(|stream| match stream.random_range(0..10) {
        0 => SimDuration::from_secs(3),
        _ => SimDuration::from_nanos(stream.random_range(0..100_000)),
    })
}
