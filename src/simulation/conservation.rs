//! Properties of runs over random small scenarios: any mixture of data planes, gateways,
//! waypoints, protocols and loads. In a debug build every run also holds the laws of `audit`.

use proptest::prelude::*;

use super::simulate;
use super::summary::{Reporter, RunSummary};
use super::testing::{Builder, echo_behavior};
use crate::cluster::{Role, WorkloadId};
use crate::mesh::path::DataPlane;
use crate::scenario::Scenario;
use crate::units::SimDuration;
use crate::workload::{Arrivals, Behavior, Call, Distribution, Failures, Target};

fn data_plane() -> impl Strategy<Value = DataPlane> {
    prop::sample::select(vec![DataPlane::None, DataPlane::Sidecar, DataPlane::Ambient])
}

fn arrivals() -> impl Strategy<Value = Arrivals> {
    let instants: Vec<_> = (1..100).map(|n| SimDuration::from_millis(12 * n)).collect();
    let think_times = [SimDuration::ZERO, SimDuration::from_millis(20)];
    let closed = think_times.map(|think_time| Arrivals::Closed { think_time });
    let others = [
        Arrivals::InStep,
        Arrivals::Jitter,
        Arrivals::Uniform,
        Arrivals::Poisson,
        Arrivals::Constant,
        Arrivals::Trace(instants.into()),
    ];
    prop::sample::select(others.into_iter().chain(closed).collect::<Vec<_>>())
}

prop_compose! {
    fn behavior()(
        cpu_us in 0..2_000u64,
        wait_us in 0..20_000u64,
        workers in 1..4u32,
        queue_limit in prop::option::of(0..3u32),
        probability in prop::sample::select(vec![0.0, 0.3, 1.0]),
    ) -> Behavior {
        Behavior {
            cpu_time: Distribution::Constant(SimDuration::from_micros(cpu_us)),
            wait_time: Distribution::Constant(SimDuration::from_micros(wait_us)),
            workers,
            queue_limit,
            failures: Some(Failures { status: 503, probability }),
            ..echo_behavior()
        }
    }
}

/// What stands between the client and its server.
#[derive(Clone, Debug)]
struct Between {
    waypoint_pods: Option<u32>,
    gateway: bool,
    uses_waypoint: bool,
    is_outside: bool,
}

prop_compose! {
    fn between()(
        waypoint_pods in prop::option::of(0..3u32),
        gateway in any::<bool>(),
        uses_waypoint in any::<bool>(),
        is_outside in any::<bool>(),
    ) -> Between {
        Between { waypoint_pods, gateway, uses_waypoint, is_outside }
    }
}

prop_compose! {
    /// Clients that call a Service, whose pods call another one.
    fn scenario()(
        planes in prop::collection::vec((data_plane(), any::<bool>()), 6),
        pods in (1..3u32, 0..3u32, 0..2u32),
        behaviors in (behavior(), behavior()),
        between in between(),
        port in prop::sample::select(vec!["http", "grpc", "tcp", "tls-x", "web"]),
        load in (arrivals(), 1..200u32, 1..6u32, any::<[bool; 3]>(), 1..60u64),
    ) -> Scenario {
        let mut builder = Builder::new(DataPlane::None);
        let (clients, servers, backs) = pods;
        let (mut server, back) = behaviors;
        builder.workload("client", clients, 0, Role::Application, echo_behavior());
        let placeholder = builder.service("server", port, Vec::new());
        let endpoints = builder.workload("back", backs, 0, Role::Application, back);
        let to = builder.service("back", port, endpoints);
        let call = Call { to, probability: 0.7, count: 2, request_bytes: 100 };
        server.calls = vec![vec![call.clone(), call.clone()], vec![call]];
        let endpoints = builder.workload("server", servers, 1, Role::Application, server);
        let Target::Service { service, .. } = placeholder else { unreachable!("a Service") };
        builder.scenario.services[service.index()].endpoints = endpoints;
        for (enrolment, (plane, hbone)) in builder.scenario.enrolments.iter_mut().zip(planes) {
            (enrolment.data_plane, enrolment.hbone) = (plane, hbone);
        }
        if let Some(pods) = between.waypoint_pods {
            builder = builder.waypoint();
            let workload = builder.scenario.workloads.len() - 1;
            builder.scenario.workloads[workload].pods.truncate(pods as usize);
        }
        let (arrivals, rate, connections, [keep_alive, catch_up, reopen], timeout_ms) = load;
        builder.workload("gateway", 1, 1, Role::Gateway, echo_behavior());
        let gateway = WorkloadId(builder.scenario.workloads.len() as u32 - 1);
        let mut scenario = builder.load(f64::from(rate), connections, arrivals).scenario;
        scenario.ingress_use_waypoint[0] = between.uses_waypoint;
        let load = &mut scenario.loads[0];
        load.from = load.from.filter(|_| !between.is_outside);
        load.via = between.gateway.then_some(gateway);
        load.timeout = SimDuration::from_millis(timeout_ms);
        (load.keep_alive, load.catch_up, load.reopen_after_error) = (keep_alive, catch_up, reopen);
        (scenario.warm_up, scenario.duration) =
            (SimDuration::from_millis(200), SimDuration::from_secs(1));
        scenario
    }
}

/// Outcomes as their clients counted them: all, and those without an answer.
fn told_by_clients(run: &RunSummary) -> (u64, u64) {
    let rows = || run.responses.iter().filter(|row| row.reporter == Reporter::Client);
    let unanswered = rows().filter(|row| row.response_code == 0);
    (rows().map(|row| row.requests).sum(), unanswered.map(|row| row.requests).sum())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// However requests end, each is counted once: as a whole, in its window, and by its client.
    #[test]
    fn every_request_ends_exactly_once(scenario in scenario()) {
        let run = simulate(&scenario, 1, 0);
        let (mut requests, mut answered) = (0, 0);
        for source in &run.sources {
            let windows: u64 = source.windows.iter().map(|window| window.requests).sum();
            prop_assert_eq!(windows, source.requests);
            prop_assert!(source.failed_requests <= source.requests);
            prop_assert!(source.attempts >= source.requests);
            requests += source.requests;
            answered += source.response_times.count();
        }
        prop_assert_eq!(told_by_clients(&run), (requests, requests - answered));
    }

    /// An open loop sends what it is told to, whatever becomes of it.
    #[test]
    fn an_open_loop_sends_at_its_rate(scenario in scenario(), rate in 1..300u32) {
        let mut scenario = scenario;
        scenario.loads[0].arrivals = Arrivals::Constant;
        scenario.loads[0].rate[0].rate = f64::from(rate);
        let callers = scenario.loads[0].from.map_or(1, |from| scenario.workload(from).pods.len());
        let sent = simulate(&scenario, 1, 0).sources[0].requests;
        prop_assert!(sent.abs_diff(u64::from(rate)) <= callers as u64, "{sent} of {rate}");
    }

    #[test]
    fn the_same_run_twice_is_the_same_run(scenario in scenario()) {
        prop_assert_eq!(simulate(&scenario, 1, 0).digest, simulate(&scenario, 1, 0).digest);
    }
}
