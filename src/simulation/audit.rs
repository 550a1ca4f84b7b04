//! Laws that hold on every path of every queue, held against each run of a debug build.
//!
//! | law | here |
//! |---|---|
//! | flow conservation | what came and has not left is what waits or is in service |
//! | Little's law | the area under the number inside equals the sum of the times inside, to the nanosecond |
//! | utilization law | a thread's busy times do not overlap, so their sum ends before the thread does |
//!
//! A release build pays nothing: every call stands behind `cfg!(debug_assertions)`.

use crate::stats::Flow;
use crate::units::{SimDuration, SimTime};

use super::event::ExchangeId;
use super::stations::Work;
use super::world::MeshWorld;

/// What went through the stations and applications of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Audit {
    /// Work at each station, until it is forwarded.
    stations: Vec<Flow>,
    /// Time that each thread was given work for.
    busy: Vec<SimDuration>,
    /// Requests at each application, waiting or in service, by process.
    apps: Vec<Flow>,
    /// The application that a request is at, and since when, by the slot of its exchange.
    at_app: Vec<Option<(u32, SimTime)>>,
}

impl Audit {
    /// `work` came to `station`.
    pub(crate) fn arrive(&mut self, station: u32, work: &Work) {
        grown(&mut self.stations, station, NOTHING_YET).arrive(work.arrived);
    }

    /// `thread` was given work that keeps it busy for `length`.
    pub(crate) fn occupy(&mut self, thread: u32, length: SimDuration) {
        *grown(&mut self.busy, thread, SimDuration::ZERO) += length;
    }

    /// `work` is done at `station`.
    pub(crate) fn depart(&mut self, station: u32, work: &Work, now: SimTime) {
        grown(&mut self.stations, station, NOTHING_YET).depart(now, work.arrived);
    }

    /// Request `id` came to the application `process` and was let in.
    pub(crate) fn begin_request(&mut self, process: u32, id: ExchangeId, now: SimTime) {
        grown(&mut self.apps, process, NOTHING_YET).arrive(now);
        let before = grown(&mut self.at_app, id.index(), None).replace((process, now));
        assert!(before.is_none(), "a request is at one application once");
    }

    /// The application `process` answered `id`.
    pub(crate) fn end_request(&mut self, process: u32, id: ExchangeId, now: SimTime) {
        let at_app = grown(&mut self.at_app, id.index(), None).take();
        let (at, arrived) = at_app.expect("an answered request came before");
        assert_eq!(at, process, "a request leaves the application it came to");
        grown(&mut self.apps, process, NOTHING_YET).depart(now, arrived);
    }

    fn arrivals_at_app(&self, process: usize) -> Vec<SimTime> {
        let at_app = self.at_app.iter().flatten();
        at_app.filter(|(at, _)| *at as usize == process).map(|&(_, arrived)| arrived).collect()
    }
}

const NOTHING_YET: Flow = Flow::new(SimTime::ZERO);

/// The element at `index`, after adding what is missing before it.
fn grown<T: Clone>(list: &mut Vec<T>, index: u32, empty: T) -> &mut T {
    let index = index as usize;
    if list.len() <= index {
        list.resize(index + 1, empty);
    }
    &mut list[index]
}

impl MeshWorld<'_> {
    /// Holds the laws against everything that happened up to `now`.
    pub(crate) fn assert_laws(&self, now: SimTime) {
        for (station, flow) in self.audit.stations.iter().enumerate() {
            let waiting = self.stations[station].waiting();
            let current = self.threads.iter().filter(|thread| thread.station as usize == station);
            let current = current.filter_map(|thread| thread.current.as_ref());
            let inside: Vec<SimTime> = waiting.chain(current).map(|work| work.arrived).collect();
            assert_balance(flow, &inside, now);
        }
        for (process, flow) in self.audit.apps.iter().enumerate() {
            let Some(app) = &self.apps[process] else { continue };
            let inside = self.audit.arrivals_at_app(process);
            assert_balance(flow, &inside, now);
            assert_eq!(inside.len(), app.active as usize + app.waiting.len(), "requests inside");
        }
        for (busy, thread) in self.audit.busy.iter().zip(&self.threads) {
            let ended = thread.free_at.since(SimTime::ZERO);
            assert!(*busy <= ended, "a thread was busy for {busy} in {ended}");
        }
    }
}

fn assert_balance(flow: &Flow, inside: &[SimTime], now: SimTime) {
    assert_eq!(flow.arrivals() - flow.departures(), inside.len() as u64, "flow is conserved");
    assert_eq!(flow.imbalance(now, inside.iter().copied()), 0, "Little's law holds");
}
