//! What the parts cost that every model uses.

use std::hint::black_box;

use meshsim::engine::{EventDigest, Exponential, LogNormal, Purpose, RandomStreams, Slab};
use meshsim::stats::ResponseTimes;
use meshsim::units::{SimDuration, SimTime};
use rand::Rng;
use rand_distr::Distribution;

use crate::ROUNDS;
use crate::clock::nanos_per_event;

const CALLS: u64 = 2_000_000;

pub(crate) fn table() -> String {
    let ms = SimDuration::from_millis(1);
    let mut stream = RandomStreams::new(1, 0).stream(Purpose::ServiceTime, 0);
    let exponential = Exponential::with_mean(ms);
    let lognormal = LogNormal::from_mean_cv(ms, 0.5).expect("mean and cv are positive");
    let lengths: Vec<SimDuration> = (0..4096).map(|_| lognormal.sample(&mut stream)).collect();
    let mut times = ResponseTimes::new();
    let mut slab = Slab::new();
    let mut digest = EventDigest::default();
    let mut table = String::from("Parts, ns each\n");
    let mut add = |name: &str, ns: f64| table += &format!("{name:50} {ns:6.1}\n");

    add("64 random bits", best(|_| black_box(stream.next_u64())));
    add("exponential length", best(|_| black_box(exponential.sample(&mut stream).as_nanos())));
    add("lognormal length", best(|_| black_box(lognormal.sample(&mut stream).as_nanos())));
    add(
        "response time into the histogram",
        best(|n| {
            times.record(lengths[n as usize % 4096]);
            0
        }),
    );
    add(
        "slab: insert, find and remove",
        best(|n| {
            let id = slab.insert(n);
            black_box(slab.get(id).is_some());
            slab.remove(id).unwrap_or_default()
        }),
    );
    add(
        "event into the digest, which waits for the last",
        best(|n| {
            digest.record(SimTime::from_nanos(n * 1_000), n);
            0
        }),
    );
    black_box(digest.value());
    table
}

fn best(mut call: impl FnMut(u64) -> u64) -> f64 {
    let mut round = || {
        nanos_per_event(|| {
            let mut folded = 0;
            for n in 0..CALLS {
                folded ^= call(n);
            }
            black_box(folded);
            CALLS
        })
    };
    (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min)
}
