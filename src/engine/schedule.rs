//! The clock, the pending events, and the loop that turns one into the other.

use super::digest::{EventCode, EventDigest};
use super::queue::EventQueue;
use crate::units::{SimDuration, SimTime};

/// All mutable state of one run, and how it reacts to each event.
pub trait World {
    /// What can happen; a `Copy` enum of 8 bytes keeps a pending event at 16.
    type Event: Copy;

    /// Applies `event`, which happens at `schedule.now()`, and schedules what follows from it.
    fn handle(&mut self, event: Self::Event, schedule: &mut Schedule<Self::Event>);
}

/// The clock and the pending events of one run.
#[derive(Debug)]
pub struct Schedule<E> {
    now: SimTime,
    queue: EventQueue<E>,
}

impl<E: Copy> Default for Schedule<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Copy> Schedule<E> {
    /// An empty schedule at time zero.
    pub fn new() -> Self {
        Self { now: SimTime::ZERO, queue: EventQueue::new() }
    }

    /// The instant of the event being handled.
    #[inline]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Lets `event` happen at `due`.
    ///
    /// Events due at the same instant happen in the order they were scheduled.
    ///
    /// # Panics
    ///
    /// If `due` has passed: an effect cannot precede its cause.
    #[inline]
    pub fn at(&mut self, due: SimTime, event: E) {
        assert!(due >= self.now, "an event is scheduled for an instant that has not passed");
        self.queue.push(due.as_nanos(), event);
    }

    /// Lets `event` happen `delay` from now.
    ///
    /// Events due at the same instant happen in the order they were scheduled.
    #[inline]
    pub fn after(&mut self, delay: SimDuration, event: E) {
        self.queue.push((self.now + delay).as_nanos(), event);
    }

    /// How many events are scheduled and have not happened, stale timers included.
    #[inline]
    pub fn pending(&self) -> usize {
        self.queue.len()
    }

    /// Moves the clock to the next event due at or before `end`.
    #[inline]
    fn pop_until(&mut self, end: SimTime) -> Option<E> {
        let (due, event) = self.queue.pop_until(end.as_nanos())?;
        self.now = SimTime::from_nanos(due);
        Some(event)
    }

    /// Lets the clock stand at `end`, now that nothing is due before it.
    fn rest_at(&mut self, end: SimTime) {
        if end != SimTime::MAX {
            self.now = self.now.max(end);
        }
    }
}

/// Runs `world` through everything due at or before `end`; returns how many events happened.
///
/// The clock then stands at `end`, so that a run can go on from there. Only with an `end` of
/// [`SimTime::MAX`], which means until nothing is pending, it stays at the last event.
pub fn run<W: World>(world: &mut W, schedule: &mut Schedule<W::Event>, end: SimTime) -> u64 {
    let mut events = 0;
    while let Some(event) = schedule.pop_until(end) {
        world.handle(event, schedule);
        events += 1;
    }
    schedule.rest_at(end);
    events
}

/// [`run`], and folds every event with its time into `digest`.
pub fn run_digested<W: World>(
    world: &mut W,
    schedule: &mut Schedule<W::Event>,
    end: SimTime,
    digest: &mut EventDigest,
) -> u64
where
    W::Event: EventCode,
{
    let mut events = 0;
    while let Some(event) = schedule.pop_until(end) {
        digest.record(schedule.now, event.code());
        world.handle(event, schedule);
        events += 1;
    }
    schedule.rest_at(end);
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes down what happens when; each event may cause one more.
    #[derive(Default)]
    struct Diary {
        entries: Vec<(u64, u32)>,
        follow_up: Option<(SimDuration, u32)>,
    }

    impl World for Diary {
        type Event = u32;

        fn handle(&mut self, event: u32, schedule: &mut Schedule<u32>) {
            self.entries.push((schedule.now().as_nanos(), event));
            if let Some((delay, next)) = self.follow_up.take() {
                schedule.after(delay, next);
            }
        }
    }

    fn at(nanos: u64) -> SimTime {
        SimTime::from_nanos(nanos)
    }

    #[test]
    fn events_happen_by_time_then_in_the_order_they_were_scheduled() {
        let mut schedule = Schedule::new();
        for (due, event) in [(5, 1), (3, 2), (5, 3), (3, 4)] {
            schedule.at(at(due), event);
        }
        let mut diary = Diary::default();

        assert_eq!(run(&mut diary, &mut schedule, SimTime::MAX), 4);
        assert_eq!(diary.entries, [(3, 2), (3, 4), (5, 1), (5, 3)]);
    }

    #[test]
    fn what_is_scheduled_for_now_happens_after_what_was_already_due_now() {
        let mut schedule = Schedule::new();
        schedule.at(at(3), 1);
        schedule.at(at(3), 2);
        let mut diary = Diary { follow_up: Some((SimDuration::ZERO, 9)), entries: Vec::new() };

        run(&mut diary, &mut schedule, SimTime::MAX);

        assert_eq!(diary.entries, [(3, 1), (3, 2), (3, 9)]);
    }

    #[test]
    fn a_run_includes_its_end_and_can_go_on_from_there() {
        let mut schedule = Schedule::new();
        for due in [1, 5, 6] {
            schedule.at(at(due), 0);
        }
        let mut diary = Diary::default();

        assert_eq!(run(&mut diary, &mut schedule, at(5)), 2);
        assert_eq!((schedule.now(), schedule.pending()), (at(5), 1));
        schedule.at(at(5), 7);
        assert_eq!(run(&mut diary, &mut schedule, SimTime::MAX), 2);
        assert_eq!(diary.entries, [(1, 0), (5, 0), (5, 7), (6, 0)]);
        assert_eq!(schedule.now(), at(6), "an endless run rests at its last event");
    }

    #[test]
    #[should_panic(expected = "an instant that has not passed")]
    fn the_past_cannot_be_scheduled() {
        let mut schedule = Schedule::new();
        schedule.at(at(5), 0);
        run(&mut Diary::default(), &mut schedule, SimTime::MAX);

        schedule.at(at(4), 0);
    }

    #[test]
    fn a_digested_run_is_the_same_run() {
        let events = |digested: bool| {
            let mut schedule = Schedule::new();
            for due in [1, 5, 6] {
                schedule.at(at(due), 0);
            }
            let mut diary = Diary::default();
            let handled = if digested {
                run_digested(&mut diary, &mut schedule, at(5), &mut EventDigest::default())
            } else {
                run(&mut diary, &mut schedule, at(5))
            };
            (handled, diary.entries, schedule.now())
        };

        assert_eq!(events(true), events(false));
    }
}
