//! Load generators: when their connections send, and what they make of the answers.

use crate::engine::{Schedule, Stream};
use crate::units::{SimDuration, SimTime};
use crate::workload::{Arrivals, Load};

use rand::RngExt;
use rand_distr::{Distribution, Exp1};

use super::connection::NO_POD;
use super::event::{Event, ExchangeId};
use super::exchange::{Exchange, Owner};
use super::world::MeshWorld;

/// The load generator in one pod (or outside the cluster).
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    /// Position of its load in the scenario.
    pub(crate) load: usize,
    /// The edge of the call graph.
    pub(crate) edge: u32,
    /// How to get to the target.
    pub(crate) route: u32,
    /// Its connections if they are shared (open loops).
    pub(crate) pool: u32,
    /// Share of the load's rate that is its own: one over the pods.
    pub(crate) share: f64,
    /// How many requests its start lags behind the others'.
    pub(crate) phase: f64,
    /// Position in a trace of arrivals.
    pub(crate) trace_position: usize,
    /// Every how many arrivals of a trace one is its own.
    pub(crate) stride: usize,
    /// Gaps, jitter and think times.
    pub(crate) rng: Stream,
}

/// One connection of a load generator that sends at its own beat.
#[derive(Clone, Debug)]
pub(crate) struct ClientSlot {
    /// The load generator.
    pub(crate) generator: u32,
    /// How many connections of the generator are launched before it.
    pub(crate) place: u32,
    /// The pool with its one connection.
    pub(crate) pool: u32,
    /// The instant that its beat is counted from, before launching and jitter.
    pub(crate) beat: SimTime,
    /// Whether a request is under way.
    pub(crate) is_busy: bool,
}

/// The instant at which `load`, of which `share` is the caller's own, has offered `requests`
/// more since `now`; none if it never does.
///
/// Integrating the rate lets a change of phase act at once: a gap that began under a low rate
/// is cut short by a high one.
fn due_after(load: &Load, share: f64, now: SimTime, requests: f64) -> Option<SimTime> {
    let mut left = requests;
    let mut at = now;
    loop {
        let since_start = at.since(SimTime::ZERO);
        let rate =
            load.rate.iter().rev().find(|phase| phase.from <= since_start).map_or(0.0, |p| p.rate);
        let until = load.rate.iter().map(|p| SimTime::ZERO + p.from).find(|&from| from > at);
        let offered =
            until.map_or(f64::INFINITY, |until| rate * share * until.since(at).as_secs_f64());
        if rate > 0.0 && left <= offered {
            return Some(at + seconds(left / (rate * share)));
        }
        left -= offered;
        at = until?;
    }
}

impl MeshWorld<'_> {
    fn load_of(&self, generator: u32) -> &Load {
        &self.scenario.loads[self.generators[generator as usize].load]
    }

    /// When `generator` has offered `requests` more.
    fn due(&self, generator: u32, now: SimTime, requests: f64) -> Option<SimTime> {
        due_after(self.load_of(generator), self.generators[generator as usize].share, now, requests)
    }

    /// An exponential draw with mean 1.
    fn draw_exponential(&mut self, generator: u32) -> f64 {
        Exp1.sample(&mut self.generators[generator as usize].rng)
    }

    /// A connection is due to send: it does, or notes that it has fallen behind.
    pub(crate) fn beat(&mut self, client: u32, schedule: &mut Schedule<Event>) {
        let now = schedule.now();
        if now >= self.observer.ends_at() {
            return;
        }
        let generator = self.clients[client as usize].generator;
        self.plan_beat(client, schedule);
        if !self.clients[client as usize].is_busy {
            self.fire(client, now, schedule);
        } else if self.load_of(generator).catch_up {
            self.missed[client as usize].push_back(now);
        }
    }

    /// Plans the first beat of `client`, a connection of one of `pods` pods.
    ///
    /// In step, a generator starts its connections one after another as fast as it can;
    /// evenly spaced ones share out the interval. Generators in several pods were not started
    /// at the same instant.
    pub(crate) fn plan_first_beat(
        &mut self,
        client: u32,
        pods: usize,
        schedule: &mut Schedule<Event>,
    ) {
        let ClientSlot { generator, place, .. } = self.clients[client as usize];
        let load = self.load_of(generator);
        let connections = f64::from(load.connections);
        let start = match load.arrivals {
            Arrivals::Closed { think_time } => {
                let thinking = think_time.as_secs_f64() * self.draw_exponential(generator);
                Some(SimTime::ZERO + seconds(thinking))
            }
            Arrivals::Uniform => self.due(generator, SimTime::ZERO, f64::from(place)),
            _ => Some(SimTime::ZERO),
        };
        let phase = self.phase_of(generator, pods, place, connections);
        let begin = match start {
            Some(start) if phase > 0.0 => self.due(generator, start, phase),
            start => start,
        };
        if let Some(begin) = begin {
            self.clients[client as usize].beat = begin;
            let next = self.due(generator, begin, connections);
            let interval = next.map_or(SimDuration::ZERO, |next| next.since(begin));
            schedule.at(begin + self.launch_lag(client, interval), Event::BeatDue { client });
        }
    }

    /// How long after its beat `client` is launched, `interval` after the beat before.
    ///
    /// A generator in step launches one connection after another. Each takes a thread, which has
    /// slept since the last burst and may have to be woken by the one before: then bursts are the
    /// looser the rarer they are.
    ///
    /// Source: fitted; raw runs of Istio 1.7 (istio/tools, 2020-08), whose P50 rises from 100 to
    /// 3000 requests per second at 16 connections and stays level from 16 to 64 connections.
    fn launch_lag(&self, client: u32, interval: SimDuration) -> SimDuration {
        let ClientSlot { generator, place, .. } = self.clients[client as usize];
        if matches!(self.load_of(generator).arrivals, Arrivals::Uniform) {
            return SimDuration::ZERO;
        }
        let costs = &self.scenario.costs;
        let wake_ns = costs.launch_wake_share * self.delays.wake_up.mean_ns(interval);
        let spacing_ns = costs.launch_spacing * 1e3 + wake_ns;
        SimDuration::from_nanos((spacing_ns * f64::from(place)) as u64)
    }

    /// How many requests the start of `generator` lags behind that of others, the same for all
    /// its connections.
    fn phase_of(&mut self, generator: u32, pods: usize, place: u32, connections: f64) -> f64 {
        let state = &mut self.generators[generator as usize];
        let is_closed = matches!(self.scenario.loads[state.load].arrivals, Arrivals::Closed { .. });
        if pods > 1 && place == 0 && !is_closed {
            state.phase = connections * state.rng.random::<f64>();
        }
        state.phase
    }

    /// Plans the next beat of `client`; a closed loop has none until the answer is there.
    ///
    /// Beats keep to a schedule counted from the start, and jitter moves each off its own
    /// place only, so that connections in step stay clustered however long the run is.
    ///
    /// Source: Fortio 1.6x, `periodic/periodic.go`: the sleep until `i / qps` is stretched or
    /// shrunk by up to 10 %.
    fn plan_beat(&mut self, client: u32, schedule: &mut Schedule<Event>) {
        let ClientSlot { generator, beat, .. } = self.clients[client as usize];
        let load = self.load_of(generator);
        let connections = f64::from(load.connections);
        let is_closed = matches!(load.arrivals, Arrivals::Closed { .. });
        let has_jitter = matches!(load.arrivals, Arrivals::Jitter);
        if is_closed {
            return;
        }
        let Some(next) = self.due(generator, beat, connections) else { return };
        self.clients[client as usize].beat = next;
        let mut due = next;
        let lag = self.launch_lag(client, next.since(beat));
        if has_jitter {
            let earliest = next.since(beat).as_secs_f64() * 0.9;
            let width = next.since(beat).as_secs_f64() * 0.2;
            let rng = &mut self.generators[generator as usize].rng;
            due = beat + seconds(earliest + width * rng.random::<f64>());
        }
        schedule.at((due + lag).max(schedule.now()), Event::BeatDue { client });
    }

    /// `client` sends a request that was to start at `intended`.
    fn fire(&mut self, client: u32, intended: SimTime, schedule: &mut Schedule<Event>) {
        let slot = &mut self.clients[client as usize];
        slot.is_busy = true;
        let (generator, pool) = (slot.generator, slot.pool);
        self.send_request(generator, Owner::Client(client), pool, intended, schedule);
    }

    fn send_request(
        &mut self,
        generator: u32,
        owner: Owner,
        pool: u32,
        intended: SimTime,
        schedule: &mut Schedule<Event>,
    ) {
        let state = &self.generators[generator as usize];
        let load = &self.scenario.loads[state.load];
        let exchange = Exchange {
            request_bytes: load.request_bytes.min(u64::from(u32::MAX)) as u32,
            endpoint: self.routes[state.route as usize].addressed_pod.unwrap_or(NO_POD),
            ..Exchange::new(owner, state.edge, state.route, intended)
        };
        let timeout = load.timeout;
        self.observer.begin_request(intended);
        let id = self.exchanges.insert(exchange);
        schedule.after(timeout, Event::TimeoutExpired { exchange: id });
        self.request_connection(pool, id, schedule);
    }

    /// The next arrival of an open loop.
    pub(crate) fn open_loop_arrival(&mut self, generator: u32, schedule: &mut Schedule<Event>) {
        let now = schedule.now();
        if now >= self.observer.ends_at() {
            return;
        }
        self.plan_arrival(generator, schedule);
        let pool = self.generators[generator as usize].pool;
        self.send_request(generator, Owner::Generator(generator), pool, now, schedule);
    }

    /// Plans the next arrival of an open loop.
    pub(crate) fn plan_arrival(&mut self, generator: u32, schedule: &mut Schedule<Event>) {
        let now = schedule.now();
        if let Arrivals::Trace(instants) = &self.load_of(generator).arrivals {
            let instants = instants.clone();
            let state = &mut self.generators[generator as usize];
            if let Some(&at) = instants.get(state.trace_position) {
                state.trace_position += state.stride;
                schedule.at(now.max(SimTime::ZERO + at), Event::ArrivalDue { generator });
            }
            return;
        }
        let is_poisson = matches!(self.load_of(generator).arrivals, Arrivals::Poisson);
        let requests = if is_poisson { self.draw_exponential(generator) } else { 1.0 };
        if let Some(due) = self.due(generator, now, requests) {
            schedule.at(due, Event::ArrivalDue { generator });
        }
    }

    /// The answer to a load generator's request is there.
    pub(crate) fn finish_request(&mut self, id: ExchangeId, schedule: &mut Schedule<Event>) {
        let exchange = self.exchanges.get(id).expect("its answer has just come");
        // The first edges of the call graph are the loads, in their order.
        let load = &self.scenario.loads[exchange.edge as usize];
        let reusable = load.keep_alive && (exchange.status == 200 || !load.reopen_after_error);
        let exchange = self.end_exchange(id, reusable, schedule);
        self.observer.finish_request(&exchange, schedule.now());
        self.observer.end_request(exchange.intended_start);
        let was_refused = exchange.connection.is_none();
        let pause = if was_refused { self.refusal_time() } else { SimDuration::ZERO };
        self.go_on(exchange.owner, pause, schedule);
    }

    /// What a refused connection takes a client: as much CPU time as a request. Users who do not
    /// think would else ask again at the same instant for ever, so it is never nothing.
    fn refusal_time(&self) -> SimDuration {
        let cpu = SimDuration::from_nanos((self.scenario.costs.client_cpu * 1e3) as u64);
        cpu.max(SimDuration::from_micros(1))
    }

    /// A client goes on to its next request; users of a closed loop pause before they think.
    fn go_on(&mut self, owner: Owner, pause: SimDuration, schedule: &mut Schedule<Event>) {
        let Owner::Client(client) = owner else { return };
        self.clients[client as usize].is_busy = false;
        let generator = self.clients[client as usize].generator;
        if let Arrivals::Closed { think_time } = self.load_of(generator).arrivals {
            let thinking = seconds(think_time.as_secs_f64() * self.draw_exponential(generator));
            schedule.after(pause + thinking, Event::BeatDue { client });
        } else if let Some(intended) = self.missed[client as usize].pop_front() {
            self.fire(client, intended, schedule);
        }
    }

    /// The client of `id` has waited long enough: it gives up and closes the connection.
    pub(crate) fn expire(&mut self, id: ExchangeId, schedule: &mut Schedule<Event>) {
        let Some(exchange) = self.exchanges.get_mut(id) else { return };
        exchange.abandoned = true;
        exchange.status = 0;
        let exchange = *exchange;
        self.observer.finish_request(&exchange, schedule.now());
        self.observer.end_request(exchange.intended_start);
        if let Some(connection) = exchange.connection {
            self.retire(connection, schedule);
        }
        self.go_on(exchange.owner, SimDuration::ZERO, schedule);
    }
}

fn seconds(length: f64) -> SimDuration {
    SimDuration::try_from_secs_f64(length).unwrap_or(SimDuration::MAX)
}
