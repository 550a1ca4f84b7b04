//! What an application does with a request: CPU, calls to others, waiting, an answer.

use std::collections::VecDeque;

use rand::RngExt;

use crate::engine::{Schedule, Stream};
use crate::units::{SimDuration, SimTime};
use crate::workload::Behavior;

use super::event::{Event, ExchangeId};
use super::exchange::{Exchange, Owner};
use super::world::MeshWorld;

/// The threads and pending requests of one application container.
#[derive(Clone, Debug)]
pub(crate) struct AppPool {
    /// Position of its behavior in the scenario.
    pub(crate) behavior: usize,
    /// Requests being served.
    pub(crate) active: u32,
    /// Requests that wait for a worker.
    pub(crate) waiting: VecDeque<ExchangeId>,
    /// When one of its threads last left a core.
    pub(crate) last_ran: SimTime,
    /// Draws of CPU and waiting time.
    pub(crate) time_rng: Stream,
    /// Draws of calls and failures.
    pub(crate) behavior_rng: Stream,
    /// The edges and pools of its calls, step by step.
    pub(crate) calls: Vec<Vec<CallPlan>>,
}

/// A call of a behavior, bound to the pod that makes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallPlan {
    /// The edge of the call graph.
    pub(crate) edge: u32,
    /// How to get to the one called.
    pub(crate) route: u32,
    /// The connections it goes over.
    pub(crate) pool: u32,
}

impl MeshWorld<'_> {
    /// Request `id` reached its application: it is served, or waits for a worker.
    pub(crate) fn serve(&mut self, id: ExchangeId, schedule: &mut Schedule<Event>) {
        let process = self.app_serving(id);
        let behavior = self.behavior(process);
        let (workers, queue_limit) = (behavior.workers, behavior.queue_limit);
        let app = self.app(process);
        let is_full = queue_limit.is_some_and(|limit| app.waiting.len() >= limit as usize);
        let is_busy = app.active >= workers;
        if is_busy && is_full {
            return self.refuse(process, id, schedule);
        }
        if cfg!(debug_assertions) {
            self.audit.begin_request(process, id, schedule.now());
        }
        let app = self.app(process);
        if is_busy {
            app.waiting.push_back(id);
            self.processes[process as usize].account.queued += 1;
        } else {
            app.active += 1;
            self.begin_serving(process, id, schedule);
        }
    }

    /// The queue is full: an answer at once, which takes neither worker nor CPU time.
    fn refuse(&mut self, process: u32, id: ExchangeId, schedule: &mut Schedule<Event>) {
        self.processes[process as usize].account.refused += 1;
        let exchange = self.exchange(id);
        exchange.status = 503;
        exchange.attempts = 1;
        exchange.returning = true;
        exchange.response_bytes = 0;
        self.send_on(id, schedule);
    }

    fn app_serving(&self, id: ExchangeId) -> u32 {
        let exchange = self.exchanges.get(id).expect("it is being served");
        self.connections.get(exchange.line()).expect("its connection outlives it").server
    }

    fn app(&mut self, process: u32) -> &mut AppPool {
        self.apps[process as usize].as_mut().expect("requests end at applications")
    }

    fn behavior(&self, process: u32) -> &Behavior {
        let app = self.apps[process as usize].as_ref().expect("requests end at applications");
        &self.scenario.behaviors[app.behavior]
    }

    fn begin_serving(&mut self, process: u32, id: ExchangeId, schedule: &mut Schedule<Event>) {
        let scenario = self.scenario;
        let app = self.app(process);
        let behavior = &scenario.behaviors[app.behavior];
        let cpu = behavior.cpu_time.sample(&mut app.time_rng);
        // CPU before the calls and after them; without calls there is nothing to be between.
        let first = if behavior.calls.is_empty() { cpu } else { cpu / 2 };
        let exchange = self.exchange(id);
        exchange.serving.burst_left = first;
        exchange.serving.second_burst = cpu - first;
        self.processes[process as usize].account.requests += 1;
        self.run_slice(process, id, schedule);
    }

    /// Lets the application's thread for `id` run until its burst or a scheduler slice ends.
    fn run_slice(&mut self, process: u32, id: ExchangeId, schedule: &mut Schedule<Event>) {
        let now = schedule.now();
        let state = &mut self.processes[process as usize];
        let app = self.apps[process as usize].as_mut().expect("requests end at applications");
        let wake = if app.last_ran < now {
            self.delays.wake_up.after(now.since(app.last_ran), &mut state.wake_rng)
        } else {
            SimDuration::ZERO
        };
        let cores = &mut self.cores[state.node as usize];
        let exchange = self.exchanges.get_mut(id).expect("it is being served");
        let slice = exchange.serving.burst_left.min(cores.slice());
        exchange.serving.burst_left = exchange.serving.burst_left - slice;
        let ends = cores.reserve(now + wake, slice) + slice;
        app.last_ran = app.last_ran.max(ends);
        state.account.cpu_ns +=
            slice.as_nanos() + (wake.as_nanos() as f64 * self.delays.wake_cpu_share) as u64;
        schedule.at(ends, Event::SliceUsed { exchange: id });
    }

    /// The thread for `id` used up its slice: another follows, or what comes after the burst.
    pub(crate) fn use_slice(&mut self, id: ExchangeId, schedule: &mut Schedule<Event>) {
        let process = self.app_serving(id);
        let serving = self.exchange(id).serving;
        if !serving.burst_left.is_zero() {
            self.run_slice(process, id, schedule);
        } else if serving.calls_done {
            self.answer(process, id, schedule);
        } else {
            self.wait(process, id, schedule);
        }
    }

    fn wait(&mut self, process: u32, id: ExchangeId, schedule: &mut Schedule<Event>) {
        let scenario = self.scenario;
        let app = self.app(process);
        let wait = scenario.behaviors[app.behavior].wait_time.sample(&mut app.time_rng);
        if wait.is_zero() {
            self.finish_wait(id, schedule);
        } else {
            schedule.after(wait, Event::WaitOver { exchange: id });
        }
    }

    /// What `id` waited for outside the model is there: the calls begin.
    pub(crate) fn finish_wait(&mut self, id: ExchangeId, schedule: &mut Schedule<Event>) {
        let process = self.app_serving(id);
        self.make_calls(process, id, schedule);
    }

    /// Makes the calls of the next step that has any; after the last step the second burst runs.
    fn make_calls(&mut self, process: u32, id: ExchangeId, schedule: &mut Schedule<Event>) {
        loop {
            let step = self.exchange(id).serving.step as usize;
            if step >= self.behavior(process).calls.len() || self.exchange(id).serving.call_failed {
                break;
            }
            self.exchange(id).serving.step += 1;
            self.make_step(process, id, step, schedule);
            if self.exchange(id).serving.outstanding > 0 {
                return;
            }
        }
        let serving = &mut self.exchange(id).serving;
        serving.calls_done = true;
        serving.burst_left = serving.second_burst;
        if serving.burst_left.is_zero() {
            self.answer(process, id, schedule);
        } else {
            self.run_slice(process, id, schedule);
        }
    }

    /// Makes the calls of one step side by side.
    fn make_step(
        &mut self,
        process: u32,
        id: ExchangeId,
        step: usize,
        schedule: &mut Schedule<Event>,
    ) {
        // The step itself counts until all its calls are made: one that is refused at once must
        // not end it.
        self.exchange(id).serving.outstanding += 1;
        for place in 0..self.behavior(process).calls[step].len() {
            let scenario = self.scenario;
            let app = self.app(process);
            let call = &scenario.behaviors[app.behavior].calls[step][place];
            if app.behavior_rng.random::<f64>() >= call.probability {
                continue;
            }
            let plan = app.calls[step][place];
            self.exchange(id).serving.outstanding += 1;
            let (bytes, repeats) = (call.request_bytes as u32, call.count.saturating_sub(1) as u16);
            self.call(id, plan, bytes, repeats, schedule);
        }
        self.exchange(id).serving.outstanding -= 1;
    }

    fn call(
        &mut self,
        caller: ExchangeId,
        plan: CallPlan,
        request_bytes: u32,
        repeats_left: u16,
        schedule: &mut Schedule<Event>,
    ) {
        let exchange = Exchange {
            request_bytes,
            repeats_left,
            ..Exchange::new(Owner::Call(caller), plan.edge, plan.route, schedule.now())
        };
        let id = self.exchanges.insert(exchange);
        self.request_connection(plan.pool, id, schedule);
    }

    /// The answer to a call came back to the application that made it.
    pub(crate) fn finish_call(
        &mut self,
        id: ExchangeId,
        caller: ExchangeId,
        schedule: &mut Schedule<Event>,
    ) {
        let call = self.end_exchange(id, true, schedule);
        self.observer.finish_request(&call, schedule.now());
        self.settle_call(&call, caller, schedule);
    }

    /// Goes on with what `caller` does once `call` has an outcome.
    pub(crate) fn settle_call(
        &mut self,
        call: &Exchange,
        caller: ExchangeId,
        schedule: &mut Schedule<Event>,
    ) {
        let failed = call.has_failed();
        if call.repeats_left > 0 && !failed {
            let plan = CallPlan { edge: call.edge, route: call.route, pool: call.pool };
            self.call(caller, plan, call.request_bytes, call.repeats_left - 1, schedule);
            return;
        }
        let serving = &mut self.exchange(caller).serving;
        serving.outstanding -= 1;
        serving.call_failed |= failed;
        if serving.outstanding == 0 {
            let process = self.app_serving(caller);
            self.make_calls(process, caller, schedule);
        }
    }

    /// The application answers `id` and turns to the request that has waited longest.
    fn answer(&mut self, process: u32, id: ExchangeId, schedule: &mut Schedule<Event>) {
        if cfg!(debug_assertions) {
            self.audit.end_request(process, id, schedule.now());
        }
        let scenario = self.scenario;
        let call_failed = self.exchange(id).serving.call_failed;
        let app = self.app(process);
        let behavior = &scenario.behaviors[app.behavior];
        let status = match behavior.failures {
            _ if call_failed => 500,
            Some(failures) if app.behavior_rng.random::<f64>() < failures.probability => {
                failures.status
            }
            _ => 200,
        };
        let next = app.waiting.pop_front();
        if next.is_none() {
            app.active -= 1;
        }
        let exchange = self.exchange(id);
        exchange.status = status;
        exchange.attempts = 1;
        exchange.returning = true;
        exchange.response_bytes = behavior.response_bytes.min(u64::from(u32::MAX)) as u32;
        self.send_on(id, schedule);
        if let Some(next) = next {
            self.begin_serving(process, next, schedule);
        }
    }
}
