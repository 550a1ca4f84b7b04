//! How bytes move: over legs, through threads, from station to station.

use crate::engine::Schedule;
use crate::units::{SimDuration, SimTime};

use super::connection::{Connection, NO_STATION, Pool};
use super::event::{Event, ExchangeId};
use super::exchange::{Exchange, Owner};
use super::process::{Pass, ProcessKind};
use super::stations::{Admission, Job, Station, Work};
use super::world::MeshWorld;

/// Bytes that are part of a pass's basic cost: published costs are for 1 KB.
const BYTES_INCLUDED: u32 = 1024;

impl MeshWorld<'_> {
    /// Sends `id` on to the next station of its connection, the way it is going.
    pub(crate) fn send_on(&mut self, id: ExchangeId, schedule: &mut Schedule<Event>) {
        let exchange = self.exchanges.get_mut(id).expect("an exchange on its way exists");
        let connection = self.connections.get(exchange.line()).expect("its connection outlives it");
        let from = exchange.position as usize;
        let (to, leg) = if exchange.returning { (from - 1, from - 1) } else { (from + 1, from) };
        exchange.position = to as u8;
        let sender = sender_of(&self.stations, &self.pools, connection, from);
        let delay =
            self.delays.hop(connection.legs[leg].distance, &mut self.processes[sender].network_rng);
        schedule.after(delay, Event::HopArrived { exchange: id });
    }

    /// Bytes of `id` reached the process at its position: they wait for a thread there.
    pub(crate) fn arrive(&mut self, id: ExchangeId, schedule: &mut Schedule<Event>) {
        let exchange = self.exchanges.get(id).expect("an exchange on its way exists");
        let connection = self.connections.get(exchange.line()).expect("its connection outlives it");
        let position = exchange.position as usize;
        let station = connection.stations[position];
        let at_end = position + 1 == connection.length as usize;
        if station == NO_STATION {
            if at_end {
                self.serve(id, schedule)
            } else {
                self.take_answer(id, schedule)
            }
            return;
        }
        let pass = match (position == 0 || at_end, exchange.returning) {
            (false, _) => Pass::Bytes,
            (true, false) => Pass::Request,
            (true, true) => Pass::Response,
        };
        let bytes =
            if exchange.returning { exchange.response_bytes } else { exchange.request_bytes };
        let inbound = match position {
            0 => self.pools[connection.pool as usize].starts_inbound,
            _ => at_end && connection.ends_inbound,
        };
        self.submit(station, Job::Exchange(id), pass, inbound, bytes, schedule);
    }

    /// The answer to `id` is back at the one who asked.
    fn take_answer(&mut self, id: ExchangeId, schedule: &mut Schedule<Event>) {
        let exchange = self.exchanges.get(id).expect("an exchange on its way exists");
        match exchange.owner {
            _ if exchange.abandoned => {
                self.end_exchange(id, false, schedule);
            }
            Owner::Client(_) | Owner::Generator(_) => self.finish_request(id, schedule),
            Owner::Proxy(parent) => self.finish_attempt(id, parent, schedule),
            Owner::Call(caller) => self.finish_call(id, caller, schedule),
        }
    }

    /// Takes `id`, which has its outcome, off its connection; `reusable` tells whether the
    /// client wants to keep that.
    pub(crate) fn end_exchange(
        &mut self,
        id: ExchangeId,
        reusable: bool,
        schedule: &mut Schedule<Event>,
    ) -> Exchange {
        let exchange = self.exchanges.remove(id).expect("it has just got its outcome");
        if let Some(connection) = exchange.connection {
            if let Some((cluster, host)) = exchange.counted_at {
                self.clusters[cluster as usize].hosts[host as usize].active -= 1;
            }
            self.release(connection, reusable, schedule);
        }
        exchange
    }

    /// Lets `station` do one pass of work for `job`.
    pub(crate) fn submit(
        &mut self,
        station: u32,
        job: Job,
        pass: Pass,
        inbound: bool,
        bytes: u32,
        schedule: &mut Schedule<Event>,
    ) {
        let process = &mut self.processes[self.stations[station as usize].process as usize];
        let cost = if inbound { process.inbound_costs.of(pass) } else { process.costs.of(pass) };
        let extra = f64::from(bytes.saturating_sub(BYTES_INCLUDED)) * cost.per_byte_ns;
        let forward_ns = cost.forward_ns + extra;
        let total_ns = forward_ns + cost.afterwards_ns;
        let total = self.delays.work_spread.draw(total_ns, &mut process.work_rng);
        // One draw for both parts keeps their proportion.
        let forward = SimDuration::from_nanos(
            (total.as_nanos() as f64 * forward_ns / total_ns.max(f64::MIN_POSITIVE)) as u64,
        );
        let work = Work { job, forward, afterwards: total - forward, arrived: schedule.now() };
        self.admit(station, work, schedule);
    }

    /// Starts `work` at `station` or lets it wait there.
    pub(crate) fn admit(&mut self, station: u32, work: Work, schedule: &mut Schedule<Event>) {
        if cfg!(debug_assertions) {
            self.audit.arrive(station, &work);
        }
        let queue = &mut self.stations[station as usize];
        match queue.admit(&self.threads, schedule.now()) {
            Admission::Start(thread) => self.start_work(thread, work, schedule),
            Admission::Wait => queue.enqueue(work),
            Admission::WaitForRelease(thread) => {
                queue.enqueue(work);
                self.announce_release(thread, schedule);
            }
        }
    }

    fn announce_release(&mut self, thread: u32, schedule: &mut Schedule<Event>) {
        let state = &mut self.threads[thread as usize];
        state.release_is_due = true;
        schedule.at(state.free_at, Event::ThreadFreed { thread });
    }

    /// Lets `thread` work; it is free, or will be before a core is.
    fn start_work(&mut self, thread: u32, work: Work, schedule: &mut Schedule<Event>) {
        let state = &mut self.threads[thread as usize];
        let now = schedule.now();
        let process = &mut self.processes[self.stations[state.station as usize].process as usize];
        let (ready, wake) = if state.free_at < now {
            (now, self.delays.wake_up.after(now.since(state.free_at), &mut process.wake_rng))
        } else {
            (state.free_at, SimDuration::ZERO)
        };
        let cores = &mut self.cores[process.node as usize];
        let begin = cores.reserve(ready + wake, work.total());
        let departs = begin + work.forward;
        state.free_at = begin + work.total();
        state.current = Some(work);
        let account = &mut process.account;
        account.visits += 1;
        account.queue_wait_ns += begin.since(work.arrived + wake).as_nanos();
        account.cpu_ns +=
            work.total().as_nanos() + (wake.as_nanos() as f64 * self.delays.wake_cpu_share) as u64;
        if cfg!(debug_assertions) {
            self.audit.occupy(thread, work.total());
        }
        schedule.at(departs, Event::WorkDone { thread });
    }

    /// `thread` is done up to forwarding: its result leaves, and it turns to what waits.
    pub(crate) fn finish_work(&mut self, thread: u32, schedule: &mut Schedule<Event>) {
        let state = &mut self.threads[thread as usize];
        let work = state.current.take().expect("work was begun before it was done");
        let station = state.station;
        let free_at = state.free_at;
        if cfg!(debug_assertions) {
            self.audit.depart(station, &work, schedule.now());
        }
        self.turn_to_next(thread, station, free_at, schedule);
        match work.job {
            Job::Exchange(id) => self.forward(station, id, schedule),
            Job::Handshake(connection) => self.advance_opening(connection, schedule),
        }
    }

    fn turn_to_next(
        &mut self,
        thread: u32,
        station: u32,
        free_at: SimTime,
        schedule: &mut Schedule<Event>,
    ) {
        let queue = &mut self.stations[station as usize];
        if !queue.has_waiting() {
            return;
        }
        // A thread alone with its queue can be told at once what it will do next.
        if queue.has_one_thread() || free_at <= schedule.now() {
            let next = queue.next().expect("something waits");
            self.start_work(thread, next, schedule);
        } else {
            self.announce_release(thread, schedule);
        }
    }

    /// `thread` has finished what it did after forwarding, and something may wait for it.
    pub(crate) fn free_thread(&mut self, thread: u32, schedule: &mut Schedule<Event>) {
        let state = &mut self.threads[thread as usize];
        state.release_is_due = false;
        let station = state.station;
        if let Some(next) = self.stations[station as usize].next() {
            self.start_work(thread, next, schedule);
        }
    }

    /// A thread at `station` has done its pass for `id`: what leaves, and where to?
    fn forward(&mut self, station: u32, id: ExchangeId, schedule: &mut Schedule<Event>) {
        let Some(exchange) = self.exchanges.get(id) else { return };
        let connection = self.connections.get(exchange.line()).expect("its connection outlives it");
        let position = exchange.position as usize;
        let at_end = position + 1 == connection.length as usize;
        let process = self.stations[station as usize].process;
        if position > 0 && !at_end {
            if exchange.returning {
                let account = &mut self.processes[process as usize].account;
                account.requests += 1;
                account.relayed += 1;
            }
            self.send_on(id, schedule);
        } else if position == 0 && !exchange.returning {
            self.send_on(id, schedule);
        } else if position == 0 {
            self.take_answer(id, schedule);
        } else if self.processes[process as usize].kind == ProcessKind::App {
            self.serve(id, schedule);
        } else {
            self.proxy_request(process, station, id, schedule);
        }
    }
}

/// The process behind position `at` of a connection.
pub(crate) fn sender_of(
    stations: &[Station],
    pools: &[Pool],
    connection: &Connection,
    at: usize,
) -> usize {
    let station = connection.stations[at];
    let process = if station != NO_STATION {
        stations[station as usize].process
    } else if at == 0 {
        pools[connection.pool as usize].owner
    } else {
        connection.server
    };
    process as usize
}
