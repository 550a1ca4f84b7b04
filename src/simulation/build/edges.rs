//! Who calls whom: loads with their generators, and the calls of behaviors.

use std::collections::VecDeque;

use crate::cluster::{PodId, Role, Workload};
use crate::engine::{Purpose, Schedule, entity_id};
use crate::simulation::clients::{ClientSlot, Generator};
use crate::simulation::connection::{NO_STATION, Pool};
use crate::simulation::event::Event;
use crate::simulation::process::{PassCosts, ProcessKind};
use crate::simulation::serving::CallPlan;
use crate::simulation::world::{Edge, MeshWorld};
use crate::units::SimTime;
use crate::workload::{Arrivals, Call, Load, Target};

impl MeshWorld<'_> {
    /// Adds the loads: their edges first, in their order, then a generator per calling pod.
    pub(super) fn add_loads(&mut self, schedule: &mut Schedule<Event>) {
        let scenario = self.scenario;
        for load in &scenario.loads {
            let from = load.from.map(|from| scenario.workload(from).qualified_name());
            self.add_edge(from.unwrap_or_else(|| "external".to_owned()), &load.to);
        }
        for (index, load) in scenario.loads.iter().enumerate() {
            let Some(from) = load.from else {
                self.add_generator(index, None, (1, 0), schedule);
                continue;
            };
            let pods = &scenario.workload(from).pods;
            for (place, &pod) in pods.iter().enumerate() {
                self.add_generator(index, Some(pod), (pods.len(), place), schedule);
            }
        }
    }

    fn add_edge(&mut self, source: String, to: &Target) -> u32 {
        let edge = self.edges.len() as u32;
        let destination = match *to {
            Target::Service { service, .. } => self.scenario.service(service).qualified_name(),
            Target::PodIp { pod, .. } => self.scenario.pod(pod).qualified_name(),
        };
        self.edges.push(Edge { source, destination });
        self.observer.add_edge();
        edge
    }

    /// Adds the generator of `load` in `pod`, the `place`-th of `pods`.
    fn add_generator(
        &mut self,
        load: usize,
        pod: Option<PodId>,
        (pods, place): (usize, usize),
        schedule: &mut Schedule<Event>,
    ) {
        let spec = &self.scenario.loads[load];
        let (owner, name) = self.add_client(load, pod);
        let route = self.add_route(pod, &spec.to, spec.via);
        let is_shared = shares_connections(&spec.arrivals);
        let pool = Pool {
            owner,
            station: self.processes[owner as usize].first_station,
            route,
            max_connections: if is_shared { spec.connections } else { 1 },
            keep_alive: spec.keep_alive,
            ..Pool::unlimited()
        };
        let generator = self.generators.len() as u32;
        self.generators.push(Generator {
            load,
            edge: load as u32,
            route,
            pool: self.pools.len() as u32,
            share: 1.0 / pods as f64,
            phase: 0.0,
            trace_position: place,
            stride: pods,
            rng: self.streams.stream(Purpose::Arrivals, entity_id(&name)),
        });
        if is_shared {
            self.pools.push(pool);
            self.plan_arrival(generator, schedule);
        } else {
            self.add_connections(generator, spec, &pool, pods, schedule);
        }
    }

    /// Adds the process that generates `load` in `pod`, or outside; returns it with its name.
    fn add_client(&mut self, load: usize, pod: Option<PodId>) -> (u32, String) {
        let scenario = self.scenario;
        let (node, place) = match pod.map(|pod| scenario.pod(pod)) {
            Some(pod) => (pod.node.0, pod.qualified_name()),
            None => (scenario.nodes.len() as u32, "external".to_owned()),
        };
        let name = format!("{place} load {load}");
        let threads = scenario.costs.client_workers as u32;
        let costs = PassCosts::client(&scenario.costs);
        let at = (ProcessKind::Client, node, pod.map(|pod| pod.0));
        (self.add_process(at, name.clone(), 1, threads, costs), name)
    }

    /// Adds the connections of a `generator` that send at a beat of their own, a pool for each.
    fn add_connections(
        &mut self,
        generator: u32,
        load: &Load,
        pool: &Pool,
        pods: usize,
        schedule: &mut Schedule<Event>,
    ) {
        for place in 0..load.connections {
            let client = self.clients.len() as u32;
            self.clients.push(ClientSlot {
                generator,
                place,
                pool: self.pools.len() as u32,
                beat: SimTime::ZERO,
                is_busy: false,
            });
            self.missed.push(VecDeque::new());
            self.pools.push(pool.clone());
            self.plan_first_beat(client, pods, schedule);
        }
    }

    /// Adds the calls that applications make while they serve.
    pub(super) fn add_calls(&mut self) {
        let workloads = self.scenario.workloads.iter();
        for workload in workloads.filter(|workload| workload.role == Role::Application) {
            self.add_calls_of(workload);
        }
    }

    fn add_calls_of(&mut self, workload: &Workload) {
        let scenario = self.scenario;
        let calls = &scenario.behaviors[workload.behavior].calls;
        let mut edges_of = |step: &Vec<Call>| -> Vec<u32> {
            step.iter().map(|call| self.add_edge(workload.qualified_name(), &call.to)).collect()
        };
        let edges: Vec<Vec<u32>> = calls.iter().map(&mut edges_of).collect();
        for &pod in &workload.pods {
            let bind = |(step, edges): (&Vec<Call>, &Vec<u32>)| -> Vec<CallPlan> {
                let pairs = step.iter().zip(edges);
                pairs.map(|(call, &edge)| self.bind_call(pod, &call.to, edge)).collect()
            };
            let plans = calls.iter().zip(&edges).map(bind).collect();
            let app = self.app_of_pod[pod.index()];
            if let Some(app) = &mut self.apps[app as usize] {
                app.calls = plans;
            }
        }
    }

    fn bind_call(&mut self, pod: PodId, to: &Target, edge: u32) -> CallPlan {
        let route = self.add_route(Some(pod), to, None);
        let pool = self.pools.len() as u32;
        let owner = self.app_of_pod[pod.index()];
        self.pools.push(Pool { owner, station: NO_STATION, route, ..Pool::unlimited() });
        CallPlan { edge, route, pool }
    }
}

/// Whether arrivals share the connections of their generator; else each connection sends at its
/// own beat.
fn shares_connections(arrivals: &Arrivals) -> bool {
    match arrivals {
        Arrivals::Poisson | Arrivals::Constant | Arrivals::Trace(_) => true,
        Arrivals::InStep | Arrivals::Jitter | Arrivals::Uniform | Arrivals::Closed { .. } => false,
    }
}
