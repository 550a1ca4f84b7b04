//! The engine, its random streams and its statistics against textbook queues.
//!
//! Each claim is about the mean over independent replications: it must lie within
//! [`TOLERANCE`] standard errors of theory, and the standard error itself must be at most 1 %
//! of theory, or the test would prove nothing. Seeds are fixed, so a test fails for a reason.
//!
//! Source of the formulas: D. Gross, J. F. Shortle, J. M. Thompson and C. M. Harris,
//! "Fundamentals of Queueing Theory", 4th ed., Wiley 2008.

use std::collections::VecDeque;

use meshsim::engine::{
    EventCode, EventDigest, Exponential, LogNormal, Purpose, RandomStreams, Schedule, Slab, SlotId,
    Stream, World, run, run_digested,
};
use meshsim::stats::{Flow, ResponseTimes, TimeAverage};
use meshsim::units::{SimDuration, SimTime};
use rand_distr::Distribution;

/// Standard errors allowed between an estimate and theory. Chance alone exceeds them once in a
/// thousand estimates (Student's t with 19 degrees of freedom).
const TOLERANCE: f64 = 4.0;

const REPLICATIONS: u64 = 20;

/// Simulated time of a replication, the first fifth of which is warm-up.
const RUN: SimDuration = SimDuration::from_secs(60);

/// Mean service time at every station: 1 ms.
const SERVICE: SimDuration = SimDuration::from_millis(1);
const SERVICE_S: f64 = 1e-3;

#[derive(Clone, Copy)]
enum Service {
    Exponential(Exponential),
    Deterministic(SimDuration),
    General(LogNormal),
}

impl Service {
    fn exponential() -> Self {
        Self::Exponential(Exponential::with_mean(SERVICE))
    }

    fn sample(self, stream: &mut Stream) -> SimDuration {
        match self {
            Self::Exponential(distribution) => distribution.sample(stream),
            Self::Deterministic(length) => length,
            Self::General(distribution) => distribution.sample(stream),
        }
    }
}

/// Poisson arrivals into stations in series, each a queue in front of its servers.
struct Network {
    gap: Exponential,
    arrivals: Stream,
    stations: Vec<Station>,
    customers: Slab<Customer>,
    flow: Flow,
    /// Of customers that left since the warm-up.
    sojourns: ResponseTimes,
}

struct Station {
    servers: u64,
    service: Service,
    service_times: Stream,
    queue: VecDeque<SlotId>,
    busy: TimeAverage,
    in_station: TimeAverage,
    arrivals: u64,
    had_to_wait: u64,
}

struct Customer {
    arrived: SimTime,
    station: usize,
}

#[derive(Clone, Copy)]
enum Event {
    CustomerArrived,
    CustomerServed(SlotId),
}

impl EventCode for Event {
    fn code(&self) -> u64 {
        match self {
            Self::CustomerArrived => u64::MAX,
            Self::CustomerServed(customer) => customer.code(),
        }
    }
}

impl World for Network {
    type Event = Event;

    fn handle(&mut self, event: Event, schedule: &mut Schedule<Event>) {
        match event {
            Event::CustomerArrived => self.admit(schedule),
            Event::CustomerServed(customer) => self.move_on(customer, schedule),
        }
    }
}

impl Network {
    /// Stations of `servers` each; `utilization` of every server.
    fn new(streams: RandomStreams, utilization: f64, servers: &[u64], service: Service) -> Self {
        let rate = utilization * servers[0] as f64 / SERVICE_S;
        let station = |(&servers, entity)| Station {
            servers,
            service,
            service_times: streams.stream(Purpose::ServiceTime, entity),
            queue: VecDeque::new(),
            busy: TimeAverage::new(SimTime::ZERO),
            in_station: TimeAverage::new(SimTime::ZERO),
            arrivals: 0,
            had_to_wait: 0,
        };
        Self {
            gap: Exponential::with_mean(
                SimDuration::try_from_secs_f64(1.0 / rate).expect("rates are positive"),
            ),
            arrivals: streams.stream(Purpose::Arrivals, 0),
            stations: servers.iter().zip(0..).map(station).collect(),
            customers: Slab::new(),
            flow: Flow::new(SimTime::ZERO),
            sojourns: ResponseTimes::new(),
        }
    }

    fn admit(&mut self, schedule: &mut Schedule<Event>) {
        let now = schedule.now();
        schedule.after(self.gap.sample(&mut self.arrivals), Event::CustomerArrived);
        let customer = self.customers.insert(Customer { arrived: now, station: 0 });
        self.flow.arrive(now);
        self.stations[0].enter(customer, schedule);
    }

    fn move_on(&mut self, id: SlotId, schedule: &mut Schedule<Event>) {
        let customer = self.customers.get_mut(id).expect("a customer in service exists");
        self.stations[customer.station].leave(schedule);
        customer.station += 1;
        if let Some(next) = self.stations.get_mut(customer.station) {
            return next.enter(id, schedule);
        }
        let arrived = customer.arrived;
        self.customers.remove(id);
        self.flow.depart(schedule.now(), arrived);
        self.sojourns.record(schedule.now().since(arrived));
    }

    /// Forgets what was measured so far.
    fn restart_measuring(&mut self, now: SimTime) {
        self.sojourns.clear();
        for station in &mut self.stations {
            station.busy.restart(now);
            station.in_station.restart(now);
            (station.arrivals, station.had_to_wait) = (0, 0);
        }
    }
}

impl Station {
    fn enter(&mut self, customer: SlotId, schedule: &mut Schedule<Event>) {
        self.in_station.increment(schedule.now());
        self.arrivals += 1;
        if self.busy.level() < self.servers {
            self.busy.increment(schedule.now());
            self.serve(customer, schedule);
        } else {
            self.had_to_wait += 1;
            self.queue.push_back(customer);
        }
    }

    fn serve(&mut self, customer: SlotId, schedule: &mut Schedule<Event>) {
        let length = self.service.sample(&mut self.service_times);
        schedule.after(length, Event::CustomerServed(customer));
    }

    /// One customer has been served; the next in line takes the server.
    fn leave(&mut self, schedule: &mut Schedule<Event>) {
        self.in_station.decrement(schedule.now());
        match self.queue.pop_front() {
            Some(next) => self.serve(next, schedule),
            None => self.busy.decrement(schedule.now()),
        }
    }
}

/// What one replication measured after its warm-up, at its first station unless said otherwise.
struct Measured {
    /// Mean time in the whole network, in seconds.
    sojourn_s: f64,
    /// 99th percentile of the same.
    sojourn_p99_s: f64,
    /// Mean number at the last station, waiting or in service.
    number_at_last: f64,
    utilization: f64,
    share_that_waited: f64,
    /// Departures per second.
    throughput_per_s: f64,
    number_in_network: f64,
}

fn simulate(mut network: Network) -> Measured {
    let mut schedule = Schedule::new();
    schedule.at(SimTime::ZERO, Event::CustomerArrived);
    let warm = SimTime::ZERO + RUN / 5;
    let end = SimTime::ZERO + RUN;
    run(&mut network, &mut schedule, warm);
    network.restart_measuring(warm);
    run(&mut network, &mut schedule, end);

    assert_flow_is_conserved(&network, end);
    let (first, last) = (&network.stations[0], &network.stations[network.stations.len() - 1]);
    Measured {
        sojourn_s: network.sojourns.mean().expect("customers left").as_secs_f64(),
        sojourn_p99_s: network.sojourns.quantile(0.99).expect("customers left").as_secs_f64(),
        number_at_last: last.in_station.mean_at(end),
        utilization: first.busy.utilization_at(end, first.servers),
        share_that_waited: first.had_to_wait as f64 / first.arrivals as f64,
        throughput_per_s: network.sojourns.count() as f64 / end.since(warm).as_secs_f64(),
        number_in_network: network.stations.iter().map(|s| s.in_station.mean_at(end)).sum(),
    }
}

/// Little's law as it holds on every path, to the nanosecond.
fn assert_flow_is_conserved(network: &Network, now: SimTime) {
    let inside = network.customers.iter().map(|(_, customer)| customer.arrived);
    assert_eq!(network.flow.imbalance(now, inside), 0);
    let left = network.flow.arrivals() - network.flow.departures();
    assert_eq!(left, network.customers.len() as u64);
}

fn replicate(utilization: f64, servers: &[u64], service: Service) -> Vec<Measured> {
    (0..REPLICATIONS)
        .map(|replication| {
            let streams = RandomStreams::new(20_240_611, replication);
            simulate(Network::new(streams, utilization, servers, service))
        })
        .collect()
}

/// The mean of what `pick` takes from each replication is `theory`.
fn assert_theory(what: &str, runs: &[Measured], pick: impl Fn(&Measured) -> f64, theory: f64) {
    let count = runs.len() as f64;
    let mean = runs.iter().map(&pick).sum::<f64>() / count;
    let squares = runs.iter().map(|run| (pick(run) - mean).powi(2)).sum::<f64>();
    let error = (squares / (count - 1.0) / count).sqrt();

    assert!(error <= 0.01 * theory, "{what}: the standard error {error} proves nothing");
    let off = (mean - theory) / error;
    assert!(off.abs() <= TOLERANCE, "{what}: {mean} instead of {theory}, {off:.1} errors off");
}

/// Erlang C: the probability that all `servers` are busy under Poisson arrivals.
///
/// From Erlang B by its recurrence B(c) = aB(c−1) / (c + aB(c−1)), C = B / (1 − ρ(1 − B)).
fn erlang_c(servers: u64, utilization: f64) -> f64 {
    let load = utilization * servers as f64;
    let blocked = (1..=servers).fold(1.0, |b, n| load * b / (n as f64 + load * b));
    blocked / (1.0 - utilization * (1.0 - blocked))
}

/// M/M/c: mean time in system, 1/µ + C / (cµ − λ).
fn mmc_sojourn_s(servers: u64, utilization: f64) -> f64 {
    let spare_rate = servers as f64 * (1.0 - utilization) / SERVICE_S;
    SERVICE_S + erlang_c(servers, utilization) / spare_rate
}

/// M/G/1: mean time in system by Pollaczek and Khinchine, 1/µ + ρ(1 + cv²) / (2µ(1 − ρ)).
fn mg1_sojourn_s(utilization: f64, cv: f64) -> f64 {
    SERVICE_S * (1.0 + utilization * (1.0 + cv * cv) / (2.0 * (1.0 - utilization)))
}

/// The sojourn time is exponential with rate µ − λ, so its 99th percentile is ln 100 means.
#[test]
fn mm1_has_its_mean_its_tail_and_its_number_in_system() {
    let runs = replicate(0.6, &[1], Service::exponential());
    let mean_s = SERVICE_S / (1.0 - 0.6);

    assert_theory("mean sojourn", &runs, |run| run.sojourn_s, mean_s);
    assert_theory("p99 sojourn", &runs, |run| run.sojourn_p99_s, mean_s * 100.0_f64.ln());
    assert_theory("utilization", &runs, |run| run.utilization, 0.6);
    assert_theory("share that waited", &runs, |run| run.share_that_waited, 0.6);
    assert_theory("number in system", &runs, |run| run.number_in_network, 0.6 / 0.4);
}

#[test]
fn mmc_has_the_sojourn_and_the_waiting_probability_of_erlang_c() {
    assert!((erlang_c(4, 0.8) - 0.596_4).abs() < 1e-4, "tables give 0.5964");
    let runs = replicate(0.8, &[4], Service::exponential());

    assert_theory("mean sojourn", &runs, |run| run.sojourn_s, mmc_sojourn_s(4, 0.8));
    assert_theory("share that waited", &runs, |run| run.share_that_waited, erlang_c(4, 0.8));
    assert_theory("utilization", &runs, |run| run.utilization, 0.8);
}

#[test]
fn md1_waits_half_as_long_as_mm1() {
    let runs = replicate(0.8, &[1], Service::Deterministic(SERVICE));
    assert_theory("mean sojourn", &runs, |run| run.sojourn_s, mg1_sojourn_s(0.8, 0.0));
}

#[test]
fn mg1_waits_as_pollaczek_and_khinchine_say() {
    let lognormal = LogNormal::from_mean_cv(SERVICE, 1.2).unwrap();
    let runs = replicate(0.5, &[1], Service::General(lognormal));

    assert_theory("mean sojourn", &runs, |run| run.sojourn_s, mg1_sojourn_s(0.5, 1.2));
    assert_theory("utilization", &runs, |run| run.utilization, 0.5);
}

/// Burke: the departures of M/M/c are Poisson, so each station in series behaves as if alone.
#[test]
fn stations_in_series_behave_as_if_alone() {
    let runs = replicate(0.7, &[2, 2, 2], Service::exponential());
    let alone_s = mmc_sojourn_s(2, 0.7);
    let rate = 0.7 * 2.0 / SERVICE_S;

    assert_theory("mean sojourn", &runs, |run| run.sojourn_s, 3.0 * alone_s);
    assert_theory("number at the last", &runs, |run| run.number_at_last, rate * alone_s);
    assert_theory("throughput", &runs, |run| run.throughput_per_s, rate);
}

/// L = λW for estimates that were made apart: they differ only by who is inside at the ends.
#[test]
fn little_s_law_holds_between_separate_estimates() {
    for run in replicate(0.8, &[4, 4], Service::exponential()) {
        let product = run.throughput_per_s * run.sojourn_s;
        let gap = (run.number_in_network - product) / run.number_in_network;
        assert!(gap.abs() < 2e-3, "L = {}, λW = {product}", run.number_in_network);
    }
}

#[test]
fn the_same_name_gives_the_same_events_and_another_replication_gives_others() {
    let digest = |replication| {
        let streams = RandomStreams::new(1, replication);
        let mut network = Network::new(streams, 0.7, &[2, 2], Service::exponential());
        let mut schedule = Schedule::new();
        schedule.at(SimTime::ZERO, Event::CustomerArrived);
        let mut digest = EventDigest::default();
        let end = SimTime::ZERO + SimDuration::from_secs(1);
        let events = run_digested(&mut network, &mut schedule, end, &mut digest);
        (events, digest.value())
    };
    assert_eq!(digest(0), digest(0));
    assert_ne!(digest(0).1, digest(1).1);
}
