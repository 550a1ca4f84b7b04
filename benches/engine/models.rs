//! Four models, written once, that run in the engine and in a hand-written loop.
//!
//! What counts is the model's own events, the same for both.

use std::collections::VecDeque;

use meshsim::engine::{
    Exponential, LogNormal, Purpose, RandomStreams, Schedule, Slab, SlotId, Stream, World, run,
};
use meshsim::stats::ResponseTimes;
use meshsim::units::{SimDuration, SimTime};
use rand::RngExt;
use rand_distr::Distribution;

use crate::clock::nanos_per_event;
use crate::heaps::{Entry, Heap};

/// What a model asks of whoever keeps its pending events.
pub(crate) trait Calendar<E> {
    fn now(&self) -> SimTime;
    fn after(&mut self, delay: SimDuration, event: E);
}

impl<E: Copy> Calendar<E> for Schedule<E> {
    #[inline]
    fn now(&self) -> SimTime {
        Schedule::now(self)
    }

    #[inline]
    fn after(&mut self, delay: SimDuration, event: E) {
        Schedule::after(self, delay, event);
    }
}

/// A clock and a heap, as a hand-written loop keeps them.
struct HeapCalendar<H> {
    now: SimTime,
    heap: H,
}

impl<E, H: Heap<E>> Calendar<E> for HeapCalendar<H> {
    #[inline]
    fn now(&self) -> SimTime {
        self.now
    }

    #[inline]
    fn after(&mut self, delay: SimDuration, event: E) {
        self.heap.push(Entry { due: (self.now + delay).as_nanos(), event });
    }
}

/// A model that ends by scheduling nothing more.
pub(crate) trait Model {
    type Event: Copy;

    fn start(&mut self, calendar: &mut impl Calendar<Self::Event>);
    fn handle(&mut self, event: Self::Event, calendar: &mut impl Calendar<Self::Event>);
    /// A statistic beside its expected value.
    fn check(&self) -> String;
}

/// What one run of one model took.
pub(crate) struct Measured {
    pub(crate) ns_per_event: f64,
    pub(crate) check: String,
}

struct InEngine<M>(M);

impl<M: Model> World for InEngine<M> {
    type Event = M::Event;

    #[inline]
    fn handle(&mut self, event: M::Event, schedule: &mut Schedule<M::Event>) {
        self.0.handle(event, schedule);
    }
}

pub(crate) fn run_in_engine<M: Model>(model: M) -> Measured {
    let mut world = InEngine(model);
    let mut schedule = Schedule::new();
    world.0.start(&mut schedule);
    let ns_per_event = nanos_per_event(|| run(&mut world, &mut schedule, SimTime::MAX));
    Measured { ns_per_event, check: world.0.check() }
}

pub(crate) fn run_in_loop<M: Model, H: Heap<M::Event>>(mut model: M) -> Measured {
    let mut calendar = HeapCalendar { now: SimTime::ZERO, heap: H::new() };
    model.start(&mut calendar);
    let ns_per_event = nanos_per_event(|| {
        let mut events = 0;
        while let Some(Entry { due, event }) = calendar.heap.pop() {
            calendar.now = SimTime::from_nanos(due);
            model.handle(event, &mut calendar);
            events += 1;
        }
        events
    });
    Measured { ns_per_event, check: model.check() }
}

const MS: SimDuration = SimDuration::from_millis(1);

fn stream(purpose: Purpose, entity: u64) -> Stream {
    RandomStreams::new(1, 0).stream(purpose, entity)
}

fn exponential_ms(mean_ms: f64) -> Exponential {
    let mean = SimDuration::try_from_secs_f64(mean_ms / 1e3).expect("means are positive");
    Exponential::with_mean(mean)
}

fn lognormal_ms(mean_ms: f64, sigma: f64) -> LogNormal {
    let mean = SimDuration::try_from_secs_f64(mean_ms / 1e3).expect("means are positive");
    let cv = ((sigma * sigma).exp() - 1.0).sqrt();
    LogNormal::from_mean_cv(mean, cv).expect("mean and cv are positive")
}

/// W1: a single server at utilization 0.8.
pub(crate) struct MM1 {
    arrivals_left: u64,
    gap: Exponential,
    service: Exponential,
    arrivals: Stream,
    service_times: Stream,
    in_system: VecDeque<SimTime>,
    sojourn_ns: u64,
    customers: u64,
}

#[derive(Clone, Copy)]
pub(crate) enum SingleServerEvent {
    Arrived,
    Served,
}

impl MM1 {
    pub(crate) fn new(customers: u64) -> Self {
        Self {
            arrivals_left: customers,
            gap: exponential_ms(1.0 / 0.8),
            service: Exponential::with_mean(MS),
            arrivals: stream(Purpose::Arrivals, 0),
            service_times: stream(Purpose::ServiceTime, 0),
            in_system: VecDeque::new(),
            sojourn_ns: 0,
            customers,
        }
    }

    #[inline]
    fn arrive_later(&mut self, calendar: &mut impl Calendar<SingleServerEvent>) {
        if self.arrivals_left > 0 {
            self.arrivals_left -= 1;
            calendar.after(self.gap.sample(&mut self.arrivals), SingleServerEvent::Arrived);
        }
    }

    #[inline]
    fn serve(&mut self, calendar: &mut impl Calendar<SingleServerEvent>) {
        calendar.after(self.service.sample(&mut self.service_times), SingleServerEvent::Served);
    }
}

impl Model for MM1 {
    type Event = SingleServerEvent;

    fn start(&mut self, calendar: &mut impl Calendar<SingleServerEvent>) {
        self.arrive_later(calendar);
    }

    #[inline]
    fn handle(
        &mut self,
        event: SingleServerEvent,
        calendar: &mut impl Calendar<SingleServerEvent>,
    ) {
        match event {
            SingleServerEvent::Arrived => {
                self.in_system.push_back(calendar.now());
                if self.in_system.len() == 1 {
                    self.serve(calendar);
                }
                self.arrive_later(calendar);
            }
            SingleServerEvent::Served => {
                if let Some(arrived) = self.in_system.pop_front() {
                    self.sojourn_ns += calendar.now().since(arrived).as_nanos();
                }
                if !self.in_system.is_empty() {
                    self.serve(calendar);
                }
            }
        }
    }

    fn check(&self) -> String {
        let mean_ms = self.sojourn_ns as f64 / self.customers as f64 / 1e6;
        format!("mean sojourn {mean_ms:.3} ms, theory 5.000")
    }
}

/// A queue in front of some servers; `D` is the distribution of the service time.
struct Station<D> {
    idle: u32,
    queue: VecDeque<SlotId>,
    service: D,
    service_times: Stream,
}

impl<D: Distribution<SimDuration>> Station<D> {
    fn new(servers: u32, service: D, entity: u64) -> Self {
        let service_times = stream(Purpose::ServiceTime, entity);
        Self { idle: servers, queue: VecDeque::new(), service, service_times }
    }

    /// How long the newcomer will be served, if a server is idle.
    #[inline]
    fn enter(&mut self, job: SlotId) -> Option<SimDuration> {
        if self.idle == 0 {
            self.queue.push_back(job);
            return None;
        }
        self.idle -= 1;
        Some(self.service.sample(&mut self.service_times))
    }

    /// One job has been served: the next in line, and how long it will be served.
    #[inline]
    fn leave(&mut self) -> Option<(SlotId, SimDuration)> {
        let Some(next) = self.queue.pop_front() else {
            self.idle += 1;
            return None;
        };
        Some((next, self.service.sample(&mut self.service_times)))
    }
}

struct Job {
    arrived: SimTime,
    station: u32,
}

#[derive(Clone, Copy)]
pub(crate) enum JobEvent {
    Arrived,
    Served(SlotId),
    TimedOut(SlotId),
}

/// W2: six stations in series, four servers each, at utilization 0.8.
pub(crate) struct Tandem {
    arrivals_left: u64,
    gap: Exponential,
    arrivals: Stream,
    stations: Vec<Station<Exponential>>,
    jobs: Slab<Job>,
    sojourn_ns: u64,
    served: u64,
}

impl Tandem {
    pub(crate) fn new(jobs: u64) -> Self {
        Self {
            arrivals_left: jobs,
            gap: exponential_ms(1.0 / 3.2),
            arrivals: stream(Purpose::Arrivals, 0),
            stations: (0..6).map(|n| Station::new(4, Exponential::with_mean(MS), n)).collect(),
            jobs: Slab::new(),
            sojourn_ns: 0,
            served: jobs,
        }
    }

    #[inline]
    fn arrive_later(&mut self, calendar: &mut impl Calendar<JobEvent>) {
        if self.arrivals_left > 0 {
            self.arrivals_left -= 1;
            calendar.after(self.gap.sample(&mut self.arrivals), JobEvent::Arrived);
        }
    }

    #[inline]
    fn enter(&mut self, job: SlotId, station: u32, calendar: &mut impl Calendar<JobEvent>) {
        if let Some(length) = self.stations[station as usize].enter(job) {
            calendar.after(length, JobEvent::Served(job));
        }
    }
}

impl Model for Tandem {
    type Event = JobEvent;

    fn start(&mut self, calendar: &mut impl Calendar<JobEvent>) {
        self.arrive_later(calendar);
    }

    #[inline]
    fn handle(&mut self, event: JobEvent, calendar: &mut impl Calendar<JobEvent>) {
        let JobEvent::Served(id) = event else {
            let job = self.jobs.insert(Job { arrived: calendar.now(), station: 0 });
            self.enter(job, 0, calendar);
            return self.arrive_later(calendar);
        };
        let Some(job) = self.jobs.get_mut(id) else { return };
        if let Some((next, length)) = self.stations[job.station as usize].leave() {
            calendar.after(length, JobEvent::Served(next));
        }
        job.station += 1;
        if job.station < 6 {
            let station = job.station;
            return self.enter(id, station, calendar);
        }
        self.sojourn_ns += calendar.now().since(job.arrived).as_nanos();
        self.jobs.remove(id);
    }

    fn check(&self) -> String {
        let mean_ms = self.sojourn_ns as f64 / self.served as f64 / 1e6;
        format!("mean sojourn {mean_ms:.3} ms, theory 10.473")
    }
}

/// W3: 10,000 logical processes that send each other one event each, to one of four neighbours.
pub(crate) struct Phold {
    events_left: u64,
    increment: Exponential,
    arrivals: Stream,
    choices: Stream,
    increments_ns: u64,
    events: u64,
}

const PROCESSES: u32 = 10_000;

impl Phold {
    pub(crate) fn new(events: u64) -> Self {
        Self {
            events_left: events,
            increment: exponential_ms(1_000.0),
            arrivals: stream(Purpose::Arrivals, 0),
            choices: stream(Purpose::LoadBalancing, 0),
            increments_ns: 0,
            events,
        }
    }

    #[inline]
    fn send(&mut self, to: u32, calendar: &mut impl Calendar<u32>) {
        if self.events_left > 0 {
            self.events_left -= 1;
            let increment = self.increment.sample(&mut self.arrivals);
            self.increments_ns += increment.as_nanos();
            calendar.after(increment, to);
        }
    }
}

impl Model for Phold {
    type Event = u32;

    fn start(&mut self, calendar: &mut impl Calendar<u32>) {
        for process in 0..PROCESSES {
            self.send(process, calendar);
        }
    }

    #[inline]
    fn handle(&mut self, process: u32, calendar: &mut impl Calendar<u32>) {
        let distance = [1, PROCESSES - 1, 100, PROCESSES - 100][self.choices.random_range(0..4)];
        self.send((process + distance) % PROCESSES, calendar);
    }

    fn check(&self) -> String {
        let mean_s = self.increments_ns as f64 / self.events as f64 / 1e9;
        format!("mean increment {mean_s:.3}, theory 1.000")
    }
}

/// W4: requests through a client proxy, a server proxy and an application, each with a timeout.
///
/// 1,000 requests/s for a while; two threads a proxy, 16 workers in the application. The timer
/// is not taken out of the calendar when its request completes: its id goes stale.
pub(crate) struct Proxies {
    end: SimTime,
    gap: Exponential,
    arrivals: Stream,
    stations: [Station<LogNormal>; 3],
    requests: Slab<Job>,
    response_times: ResponseTimes,
    timed_out: u64,
}

impl Proxies {
    pub(crate) fn new(seconds: u64) -> Self {
        Self {
            end: SimTime::ZERO + SimDuration::from_secs(seconds),
            gap: Exponential::with_mean(MS),
            arrivals: stream(Purpose::Arrivals, 0),
            stations: [
                Station::new(2, lognormal_ms(0.5, 0.5), 0),
                Station::new(2, lognormal_ms(0.5, 0.5), 1),
                Station::new(16, lognormal_ms(10.0, 1.5), 2),
            ],
            requests: Slab::new(),
            response_times: ResponseTimes::new(),
            timed_out: 0,
        }
    }

    #[inline]
    fn arrive(&mut self, calendar: &mut impl Calendar<JobEvent>) {
        let request = self.requests.insert(Job { arrived: calendar.now(), station: 0 });
        calendar.after(SimDuration::from_secs(1), JobEvent::TimedOut(request));
        self.enter(request, 0, calendar);
        if calendar.now() < self.end {
            calendar.after(self.gap.sample(&mut self.arrivals), JobEvent::Arrived);
        }
    }

    #[inline]
    fn enter(&mut self, request: SlotId, station: u32, calendar: &mut impl Calendar<JobEvent>) {
        if let Some(length) = self.stations[station as usize].enter(request) {
            calendar.after(length, JobEvent::Served(request));
        }
    }

    #[inline]
    fn move_on(&mut self, id: SlotId, calendar: &mut impl Calendar<JobEvent>) {
        let Some(request) = self.requests.get_mut(id) else { return };
        if let Some((next, length)) = self.stations[request.station as usize].leave() {
            calendar.after(length, JobEvent::Served(next));
        }
        request.station += 1;
        if request.station < 3 {
            let station = request.station;
            return self.enter(id, station, calendar);
        }
        self.response_times.record(calendar.now().since(request.arrived));
        self.requests.remove(id);
    }
}

impl Model for Proxies {
    type Event = JobEvent;

    fn start(&mut self, calendar: &mut impl Calendar<JobEvent>) {
        calendar.after(SimDuration::ZERO, JobEvent::Arrived);
    }

    #[inline]
    fn handle(&mut self, event: JobEvent, calendar: &mut impl Calendar<JobEvent>) {
        match event {
            JobEvent::Arrived => self.arrive(calendar),
            JobEvent::Served(request) => self.move_on(request, calendar),
            JobEvent::TimedOut(request) => {
                self.timed_out += u64::from(self.requests.contains(request));
            }
        }
    }

    fn check(&self) -> String {
        let ms = |length: Option<SimDuration>| length.unwrap_or_default().as_millis_f64();
        format!(
            "mean {:.1} ms, about 11.1 to 11.4; p50 {:.1}, 4.5; p99 {:.0}, 107; {} timed out",
            ms(self.response_times.mean()),
            ms(self.response_times.quantile(0.5)),
            ms(self.response_times.quantile(0.99)),
            self.timed_out
        )
    }
}
