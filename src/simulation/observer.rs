//! What is measured, when, into which statistic.

use crate::mesh::path;
use crate::stats::ResponseTimes;
use crate::units::{SimDuration, SimTime};

use super::exchange::Exchange;
use super::process::{Account, Process};
use super::summary::{Reporter, Window};

/// The requests of one edge of the call graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeStatistics {
    pub(crate) response_times: ResponseTimes,
    pub(crate) requests: u64,
    pub(crate) failed_requests: u64,
    pub(crate) masked_failures: u64,
    pub(crate) attempts: u64,
    pub(crate) windows: Vec<Window>,
    /// The window being filled.
    filling: usize,
    /// Response times in it.
    current: ResponseTimes,
    /// By reporter: status, flags, count.
    pub(crate) responses: [Vec<(u16, u16, u64)>; 4],
}

/// A stall of a node, to be told in the list of events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stall {
    pub(crate) at: SimTime,
    pub(crate) node: u32,
    pub(crate) length: SimDuration,
}

/// Everything measured in one run.
#[derive(Clone, Debug)]
pub(crate) struct Observer {
    starts_at: SimTime,
    ends_at: SimTime,
    window: SimDuration,
    /// Windows that the measured part is cut into.
    window_count: usize,
    pub(crate) edges: Vec<EdgeStatistics>,
    pub(crate) at_start: Vec<Account>,
    pub(crate) at_end: Vec<Account>,
    pub(crate) stalls: Vec<Stall>,
    /// Requests that started in the measured part and have not ended.
    pub(crate) outstanding: u64,
}

impl Observer {
    /// An observer of no edges from `starts_at` to `ends_at`, in windows of `window`.
    pub(crate) fn new(starts_at: SimTime, ends_at: SimTime, window: SimDuration) -> Self {
        let windows = ends_at.since(starts_at).as_nanos().div_ceil(window.as_nanos().max(1));
        Self {
            starts_at,
            ends_at,
            window,
            window_count: windows as usize,
            edges: Vec::new(),
            at_start: Vec::new(),
            at_end: Vec::new(),
            stalls: Vec::new(),
            outstanding: 0,
        }
    }

    /// Observes one more edge of the call graph, numbered in order.
    pub(crate) fn add_edge(&mut self) {
        let windows = vec![Window::default(); self.window_count];
        self.edges.push(EdgeStatistics { windows, ..EdgeStatistics::default() });
    }

    /// When load generators stop.
    pub(crate) fn ends_at(&self) -> SimTime {
        self.ends_at
    }

    fn measures(&self, intended_start: SimTime) -> bool {
        self.starts_at <= intended_start && intended_start < self.ends_at
    }

    pub(crate) fn start(&mut self, processes: &[Process]) {
        self.at_start = processes.iter().map(|process| process.account).collect();
    }

    pub(crate) fn end(&mut self, processes: &[Process]) {
        self.at_end = processes.iter().map(|process| process.account).collect();
    }

    /// Notes that a load generator's request has started.
    pub(crate) fn begin_request(&mut self, intended_start: SimTime) {
        self.outstanding += u64::from(self.measures(intended_start));
    }

    /// Counts the outcome of a request for the one who asked.
    pub(crate) fn finish_request(&mut self, exchange: &Exchange, now: SimTime) {
        if !self.measures(exchange.intended_start) {
            return;
        }
        let failed = exchange.has_failed();
        let response_time = now.since(exchange.intended_start);
        let window = self.window_of(now);
        let edge = &mut self.edges[exchange.edge as usize];
        edge.requests += 1;
        edge.failed_requests += u64::from(failed);
        edge.attempts += u64::from(exchange.attempts.max(1));
        edge.masked_failures += u64::from(!failed && exchange.attempts > 1);
        edge.enter(window);
        edge.windows[window].requests += 1;
        edge.windows[window].failed_requests += u64::from(failed);
        if exchange.status != 0 {
            edge.response_times.record(response_time);
            edge.current.record(response_time);
        }
        count(&mut edge.responses[Reporter::Client as usize], exchange.status, exchange.flags);
    }

    /// Notes that a load generator's request has ended for it.
    pub(crate) fn end_request(&mut self, intended_start: SimTime) {
        self.outstanding -= u64::from(self.measures(intended_start));
    }

    /// The window that `now` falls into; what ends after the last belongs to the last.
    fn window_of(&self, now: SimTime) -> usize {
        let since = now.since(self.starts_at).as_nanos() / self.window.as_nanos().max(1);
        (since as usize).min(self.window_count.saturating_sub(1))
    }

    /// Counts a response where a proxy parsed it.
    pub(crate) fn count_response(
        &mut self,
        edge: u32,
        reporter: path::Reporter,
        status: u16,
        flags: u16,
        intended_start: SimTime,
    ) {
        if self.measures(intended_start) {
            let reporter = Reporter::from(reporter) as usize;
            count(&mut self.edges[edge as usize].responses[reporter], status, flags);
        }
    }

    /// Notes that `node` stood still.
    pub(crate) fn note_stall(&mut self, at: SimTime, node: u32, length: SimDuration) {
        self.stalls.push(Stall { at, node, length });
    }

    /// Completes the windows.
    pub(crate) fn finish(&mut self) {
        for edge in &mut self.edges {
            edge.enter(usize::MAX);
        }
    }
}

impl EdgeStatistics {
    /// Windows fill in order: on the first outcome of a later one, the one before is complete.
    fn enter(&mut self, window: usize) {
        if window == self.filling {
            return;
        }
        if let Some(complete) = self.windows.get_mut(self.filling) {
            complete.response_time_p50 = self.current.quantile(0.5);
            complete.response_time_p99 = self.current.quantile(0.99);
        }
        self.current.clear();
        self.filling = window;
    }
}

fn count(counts: &mut Vec<(u16, u16, u64)>, status: u16, flags: u16) {
    match counts.iter_mut().find(|(code, set, _)| (*code, *set) == (status, flags)) {
        Some((_, _, requests)) => *requests += 1,
        None => counts.push((status, flags, 1)),
    }
}

impl From<path::Reporter> for Reporter {
    fn from(reporter: path::Reporter) -> Self {
        match reporter {
            path::Reporter::Source => Self::Source,
            path::Reporter::Destination => Self::Destination,
            path::Reporter::Waypoint => Self::Waypoint,
        }
    }
}
