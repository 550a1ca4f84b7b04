use std::cmp::Reverse;
use std::collections::BinaryHeap;

use proptest::prelude::*;

use super::*;

/// The obvious queue: a heap in which a number settles ties.
#[derive(Default)]
struct Twin {
    entries: BinaryHeap<Reverse<(u64, u64)>>,
    pushed: u64,
}

/// Both queues and the time of the last pop; events are numbered as they are pushed.
struct Pair {
    queue: EventQueue<u64>,
    twin: Twin,
    now: u64,
}

impl Pair {
    fn new() -> Self {
        Self { queue: EventQueue::new(), twin: Twin::default(), now: 0 }
    }

    fn push(&mut self, delay: u64) {
        let due = self.now.saturating_add(delay);
        self.queue.push(due, self.twin.pushed);
        self.twin.entries.push(Reverse((due, self.twin.pushed)));
        self.twin.pushed += 1;
    }

    /// Pops from both; false if nothing is due up to `end`.
    fn pop_until(&mut self, end: u64) -> bool {
        let expected = self.twin.entries.peek().map(|&Reverse(first)| first);
        let expected = expected.filter(|&(due, _)| due <= end);
        assert_eq!(self.queue.pop_until(end), expected);
        if let Some((due, _)) = expected {
            self.twin.entries.pop();
            self.now = due;
        }
        assert_eq!(self.queue.len(), self.twin.entries.len());
        expected.is_some()
    }

    fn pop_all(&mut self) {
        while self.pop_until(u64::MAX) {}
    }
}

#[derive(Clone, Debug)]
enum Step {
    Push {
        delay: u64,
    },
    /// `count` events, each due `gap` before the one pushed earlier.
    PushBackwards {
        delay: u64,
        gap: u64,
        count: u64,
    },
    Pop {
        count: usize,
    },
    PopUntil {
        wait: u64,
    },
}

/// Delays of every magnitude: as many below 2 ns as between 2⁶² and 2⁶³.
fn delay() -> impl Strategy<Value = u64> + Clone {
    (0..64u32, any::<u64>()).prop_map(|(bits, digits)| digits & ((1 << bits) - 1))
}

/// Delays as a mesh has them: now, microseconds of work, and timers of three seconds.
fn mesh_delay() -> impl Strategy<Value = u64> + Clone {
    (0..3usize, 0..50_000u64).prop_map(|(kind, work)| [0, work, 3_000_000_000][kind])
}

fn steps(delay: impl Strategy<Value = u64> + Clone) -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => delay.clone().prop_map(|delay| Step::Push { delay }),
        1 => (delay.clone(), 0..100u64).prop_map(|(delay, count)| Step::PushBackwards { delay, gap: 0, count }),
        1 => (delay.clone(), delay.clone(), 0..100u64).prop_map(|(delay, gap, count)| Step::PushBackwards { delay, gap: gap / 64, count }),
        4 => (0..4usize).prop_map(|count| Step::Pop { count }),
        1 => delay.prop_map(|wait| Step::PopUntil { wait }),
    ];
    prop::collection::vec(step, 0..600)
}

fn follow(steps: Vec<Step>) {
    let mut pair = Pair::new();
    for step in steps {
        match step {
            Step::Push { delay } => pair.push(delay),
            Step::PushBackwards { delay, gap, count } => {
                (0..count).for_each(|n| pair.push(delay.saturating_sub(n.saturating_mul(gap))));
            }
            Step::Pop { count } => (0..count).for_each(|_| {
                pair.pop_until(u64::MAX);
            }),
            Step::PopUntil { wait } => while pair.pop_until(pair.now.saturating_add(wait)) {},
        }
    }
    pair.pop_all();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_order_is_that_of_a_heap_with_sequence_numbers(steps in steps(delay())) {
        follow(steps);
    }

    #[test]
    fn so_it_is_with_the_delays_of_a_mesh(steps in steps(mesh_delay())) {
        follow(steps);
    }
}

#[test]
fn many_events_of_one_instant_keep_their_order_while_others_come_between() {
    let mut pair = Pair::new();
    for _ in 0..10_000 {
        pair.push(1_000_000);
    }
    for delay in (0..2_000_000).step_by(997) {
        pair.push(delay);
    }
    pair.pop_all();
}

#[test]
fn the_last_instant_of_time_can_be_scheduled() {
    let mut pair = Pair::new();
    for delay in (0..100).map(|n| u64::MAX - n % 7) {
        pair.push(delay);
    }
    pair.pop_all();
}

/// Pops the first event and pushes it again, `rounds` times.
fn hold(queue: &mut EventQueue<u64>, rounds: usize) {
    let mut delay = 1;
    for _ in 0..rounds {
        let (due, event) = queue.pop_until(u64::MAX).unwrap();
        delay = delay * 48_271 % 2_147_483_647; // Lehmer's generator
        queue.push(due + delay % 1_000_000, event);
    }
}

#[test]
fn memory_follows_the_number_of_pending_events_not_the_length_of_the_run() {
    let mut queue = EventQueue::new();
    for event in 0..1_000 {
        queue.push(event * event, event);
    }
    hold(&mut queue, 10_000);
    let before = queue.memory();
    hold(&mut queue, 1_000_000);

    assert!(queue.memory() <= before + before / 10, "{} after {before} bytes", queue.memory());
}

#[test]
fn an_entry_is_16_bytes() {
    assert_eq!(size_of::<Entry<u64>>(), 16);
}
