//! How fast the event engine is, as a ratio to hand-written loops measured in the same run.
//!
//! `cargo bench --bench engine` prints three tables, nanoseconds each, best of five:
//!
//! - **Hold model**: pop the first event, push one at a random later time, at a constant
//!   number pending. The queue alone.
//! - **Workloads**: four models through the public `World` interface, and the same models in a
//!   plain loop around a heap. The heaps are favoured: they ignore the order of ties,
//!   which saves them a sequence number.
//! - **Parts**: draws, histogram, slab, digest.
//!
//! Times of one machine say little; the ratios carry over.

mod clock;
mod heaps;
mod hold;
mod models;
mod parts;

use heaps::{BinaryHeapLoop, FourAryHeapLoop};
use models::{MM1, Measured, Model, Phold, Proxies, Tandem};

/// Rounds, each of which measures every engine once, so that a disturbance hits all alike.
const ROUNDS: usize = 5;

fn main() {
    print(&hold::table());
    print(&workload_table());
    print(&parts::table());
}

#[expect(clippy::print_stdout, reason = "a benchmark exists to print")]
fn print(table: &str) {
    println!("{table}");
}

fn workload_table() -> String {
    let mut table = String::from(
        "Workloads, ns/event\n\
         workload                      engine   std heap loop   4-ary heap loop   engine/best loop   check\n",
    );
    table += &row("W1  M/M/1, 0.8", || MM1::new(2_000_000));
    table += &row("W2  six M/M/4 in series", || Tandem::new(300_000));
    table += &row("W3  PHOLD, 10,000 pending", || Phold::new(5_000_000));
    table += &row("W4  proxies and timers", || Proxies::new(600));
    table
}

fn row<M: Model>(name: &str, model: impl Fn() -> M) -> String {
    let mut best = [f64::INFINITY; 3];
    let mut check = String::new();
    for _ in 0..ROUNDS {
        let measured: [Measured; 3] = [
            models::run_in_engine(model()),
            models::run_in_loop::<M, BinaryHeapLoop<M::Event>>(model()),
            models::run_in_loop::<M, FourAryHeapLoop<M::Event>>(model()),
        ];
        for (best, measured) in best.iter_mut().zip(&measured) {
            *best = best.min(measured.ns_per_event);
            check.clone_from(&measured.check);
        }
    }
    let [engine, std_heap, four_ary] = best;
    let ratio = engine / std_heap.min(four_ary);
    format!("{name:28} {engine:7.1} {std_heap:15.1} {four_ary:17.1} {ratio:18.2}   {check}\n")
}
