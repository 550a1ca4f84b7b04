//! Claims about whole runs, small enough to be added up by hand.

use crate::cluster::{Role, WorkloadId};
use crate::mesh::path::DataPlane;
use crate::units::SimDuration;
use crate::workload::{Arrivals, Call, Distribution, Failures, RatePhase, Target};

use super::simulate;
use super::summary::{ProxyKind, Reporter, RunSummary};
use super::testing::{APP_CPU_US, Builder, echo_behavior};

/// One request at a time, far apart: nothing waits for anything.
fn lone_requests(builder: Builder) -> RunSummary {
    simulate(&builder.load(10.0, 1, Arrivals::InStep).scenario, 1, 0)
}

fn response_time_us(run: &RunSummary) -> f64 {
    let times = &run.sources[0].response_times;
    assert_eq!(times.quantile(0.0), times.max(), "without chance every request takes the same");
    times.max().unwrap().as_nanos() as f64 / 1e3
}

/// Microseconds of the costs in `testing.rs`.
const CLIENT: f64 = 40.0;
const APP: f64 = APP_CPU_US as f64;
const POD_HOP: f64 = 8.0;
const NODE_HOP: f64 = 30.0;
const ZONE_HOP: f64 = 50.0;
/// What is on the way of the response: request and response shares, not what follows.
const ON_THE_WAY: f64 = 0.5 + 0.3;
/// A ztunnel forwards after a quarter of each of its two passes.
const ZTUNNEL: f64 = 80.0 * 0.25;

/// The histogram tells lengths apart to a thousandth.
fn assert_close(ours: f64, by_hand: f64) {
    assert!((ours - by_hand).abs() <= by_hand * 1e-3, "{ours} µs instead of {by_hand} µs");
}

#[test]
fn without_a_mesh_a_lone_request_takes_client_two_hops_and_application() {
    let run = lone_requests(Builder::echo(DataPlane::None, 3));
    assert_close(response_time_us(&run), CLIENT + 2.0 * ZONE_HOP + APP);
}

#[test]
fn sidecars_add_four_loopback_hops_and_what_they_do_before_forwarding() {
    let run = lone_requests(Builder::echo(DataPlane::Sidecar, 3));
    let base = CLIENT + 2.0 * ZONE_HOP + APP;
    assert_close(response_time_us(&run), base + 4.0 * POD_HOP + ON_THE_WAY * (340.0 + 360.0));
}

#[test]
fn ambient_l4_adds_four_loopback_hops_and_two_ztunnels() {
    let run = lone_requests(Builder::echo(DataPlane::Ambient, 3));
    let base = CLIENT + 2.0 * ZONE_HOP + APP;
    assert_close(response_time_us(&run), base + 4.0 * POD_HOP + 2.0 * ZTUNNEL);
}

#[test]
fn a_waypoint_on_the_server_node_adds_itself_and_a_hop_each_way() {
    let run = lone_requests(Builder::echo(DataPlane::Ambient, 3).waypoint());
    let l4 = CLIENT + 2.0 * ZONE_HOP + APP + 4.0 * POD_HOP + 2.0 * ZTUNNEL;
    assert_close(response_time_us(&run), l4 + 2.0 * NODE_HOP + ON_THE_WAY * 200.0);
}

#[test]
fn without_keep_alive_each_request_pays_for_its_connection() {
    let mut builder = Builder::echo(DataPlane::None, 1).load(10.0, 1, Arrivals::InStep);
    builder.scenario.loads[0].keep_alive = false;
    let run = simulate(&builder.scenario, 1, 0);
    let iptables = 10.0;
    assert_close(response_time_us(&run), CLIENT + 4.0 * ZONE_HOP + APP + iptables);
}

#[test]
fn a_new_l4_connection_on_an_open_tunnel_pays_three_tcp_handshakes_and_a_connect() {
    let mut builder = Builder::echo(DataPlane::Ambient, 1).load(10.0, 1, Arrivals::InStep);
    builder.scenario.loads[0].keep_alive = false;
    let run = simulate(&builder.scenario, 1, 0);
    let request = CLIENT + 2.0 * ZONE_HOP + APP + 4.0 * POD_HOP + 2.0 * ZTUNNEL;
    // Client to ztunnel, CONNECT between the ztunnels, ztunnel to application.
    let opening = 2.0 * POD_HOP + 2.0 * ZONE_HOP + 2.0 * POD_HOP;
    assert_close(response_time_us(&run), request + opening);
}

#[test]
fn one_client_through_ztunnel_keeps_one_worker_of_the_waypoint_busy() {
    let run = |connections| {
        let builder = Builder::echo(DataPlane::Ambient, 3).waypoint();
        let scenario = builder.load(1600.0, connections, Arrivals::InStep).scenario;
        let run = simulate(&scenario, 1, 0);
        run.sources[0].response_times.max().unwrap().as_millis_f64()
    };
    // Sixteen at once on one worker: the last waits for fifteen requests and responses.
    assert!(run(16) > 15.0 * 0.2 * ON_THE_WAY, "{} ms", run(16));
}

#[test]
fn a_burst_waits_in_line_at_a_sidecar_and_a_spread_load_does_not() {
    let p90 = |arrivals| {
        let builder = Builder::echo(DataPlane::Sidecar, 3).load(200.0, 16, arrivals);
        let run = simulate(&builder.scenario, 1, 0);
        run.sources[0].response_times.quantile(0.9).unwrap().as_millis_f64()
    };
    assert!(p90(Arrivals::InStep) > 2.0 * p90(Arrivals::Uniform));
}

/// The last of four is launched three wake-ups after the first: so much less it waits in line.
#[test]
fn connections_launched_by_threads_that_have_to_be_woken_come_apart() {
    let slowest_us = |rate, launch_wake_share| {
        let builder = Builder::echo(DataPlane::None, 1).costs(|costs| {
            (costs.wake_per_sqrt_ms, costs.wake_max) = (10.0, 1000.0);
            costs.launch_wake_share = launch_wake_share;
        });
        let mut builder = builder.load(rate, 4, Arrivals::InStep);
        builder.scenario.behaviors[1].workers = 1;
        builder.scenario.behaviors[1].wait_time =
            Distribution::Constant(SimDuration::from_millis(10));
        let run = simulate(&builder.scenario, 1, 0);
        run.sources[0].response_times.max().unwrap().as_nanos() as f64 / 1e3
    };
    // 10 µs × √100 and × √50 for 100 and 50 ms between bursts.
    for (rate, wake_up) in [(40.0, 100.0), (80.0, 70.7)] {
        let less = slowest_us(rate, 0.0) - slowest_us(rate, 1.0);
        assert!((less - 3.0 * wake_up).abs() < 5.0, "{less} µs at {rate} requests per second");
    }
}

#[test]
fn every_request_of_the_measured_part_ends_exactly_once() {
    for plane in [DataPlane::None, DataPlane::Sidecar, DataPlane::Ambient] {
        let scenario = Builder::echo(plane, 3).load(400.0, 16, Arrivals::InStep).scenario;
        let run = simulate(&scenario, 1, 0);
        assert_eq!(run.sources[0].requests, 4000, "{plane:?}");
        assert_eq!(run.sources[0].response_times.count(), 4000, "{plane:?}");
        assert_eq!(run.sources[0].failed_requests, 0, "{plane:?}");
        let windows: u64 = run.sources[0].windows.iter().map(|window| window.requests).sum();
        assert_eq!(windows, 4000, "{plane:?}");
    }
}

#[test]
fn each_reporter_counts_each_request_it_parses() {
    let reporters = |builder: Builder| {
        let run = simulate(&builder.load(100.0, 4, Arrivals::Uniform).scenario, 1, 0);
        let rows = run.responses.iter().map(|row| (row.reporter, row.response_code, row.requests));
        rows.collect::<Vec<_>>()
    };
    use Reporter::{Client, Destination, Source, Waypoint};
    let none = Builder::echo(DataPlane::None, 3);
    assert_eq!(reporters(none), [(Client, 200, 1000)]);
    let sidecar = Builder::echo(DataPlane::Sidecar, 3);
    let twice = [(Client, 200, 1000), (Source, 200, 1000), (Destination, 200, 1000)];
    assert_eq!(reporters(sidecar), twice);
    assert_eq!(reporters(Builder::echo(DataPlane::Ambient, 3)), [(Client, 200, 1000)]);
    let waypoint = Builder::echo(DataPlane::Ambient, 3).waypoint();
    assert_eq!(reporters(waypoint), [(Client, 200, 1000), (Waypoint, 200, 1000)]);
}

#[test]
fn proxy_cpu_is_the_cost_of_every_pass_and_nothing_else() {
    let run = lone_requests(Builder::echo(DataPlane::Sidecar, 1));
    let cpu_us: Vec<_> = run.proxies.iter().map(|p| (p.kind, p.cpu_ns as f64 / 1e3)).collect();
    assert_eq!(cpu_us, [(ProxyKind::Sidecar, 340.0 * 100.0), (ProxyKind::Sidecar, 360.0 * 100.0)]);
}

#[test]
fn a_sidecar_without_endpoints_answers_503_uh_and_a_plain_client_is_refused() {
    let answers = |plane| {
        let run = lone_requests(Builder::echo(plane, 0));
        let row = run.responses.iter().find(|row| row.reporter == Reporter::Client).unwrap();
        (row.response_code, row.response_flags.clone(), run.sources[0].failed_requests)
    };
    assert_eq!(answers(DataPlane::None), (0, String::new(), 100));
    assert_eq!(answers(DataPlane::Sidecar), (503, "UH".into(), 100));
}

#[test]
fn a_user_who_does_not_think_takes_time_to_be_refused() {
    let arrivals = Arrivals::Closed { think_time: SimDuration::ZERO };
    let builder = Builder::echo(DataPlane::None, 0).load(0.0, 1, arrivals);
    let run = simulate(&builder.scenario, 1, 0);
    let refusals = run.measured_s * 1e6 / CLIENT;
    assert!((run.sources[0].failed_requests as f64 - refusals).abs() <= 1.0);
    assert_eq!(run.sources[0].failed_requests, run.sources[0].requests);
}

#[test]
fn a_client_gives_up_after_its_timeout_and_goes_on() {
    let mut builder = Builder::echo(DataPlane::Sidecar, 1).load(1.0, 1, Arrivals::InStep);
    builder.scenario.behaviors[1].wait_time = Distribution::Constant(SimDuration::from_secs(5));
    builder.scenario.loads[0].catch_up = false;
    let run = simulate(&builder.scenario, 1, 0);
    assert_eq!(run.sources[0].response_times.count(), 0, "no answer is in time");
    // Ten seconds; every request that is sent occupies the client for three.
    assert!((3..=4).contains(&run.sources[0].requests), "{}", run.sources[0].requests);
    assert_eq!(run.sources[0].failed_requests, run.sources[0].requests);
}

#[test]
fn a_load_that_fell_behind_catches_up_unless_told_not_to() {
    let requests = |catch_up| {
        let mut builder = Builder::echo(DataPlane::None, 1).load(10.0, 1, Arrivals::InStep);
        builder.scenario.behaviors[1].wait_time =
            Distribution::Constant(SimDuration::from_millis(150));
        builder.scenario.loads[0].catch_up = catch_up;
        builder.scenario.loads[0].timeout = SimDuration::from_secs(60);
        simulate(&builder.scenario, 1, 0).sources[0].requests
    };
    assert_eq!(requests(true), 100, "all intended requests are sent, late");
    assert_eq!(requests(false), 50, "every second beat finds the connection busy");
}

#[test]
fn a_change_of_rate_acts_at_its_instant() {
    let mut builder = Builder::echo(DataPlane::None, 1).load(0.0, 4, Arrivals::Constant);
    let from = |seconds| SimDuration::from_secs(seconds);
    builder.scenario.loads[0].rate = vec![
        RatePhase { from: from(0), rate: 0.0 },
        RatePhase { from: from(3), rate: 100.0 },
        RatePhase { from: from(6), rate: 0.0 },
    ];
    let run = simulate(&builder.scenario, 1, 0);
    assert_eq!(run.sources[0].requests, 300);
    // The warm-up takes the first second.
    let busy: Vec<usize> = (0..10).filter(|&w| run.sources[0].windows[w].requests > 0).collect();
    assert_eq!(busy, [2, 3, 4, 5], "the last request ends just after the change");
}

#[test]
fn an_application_with_one_worker_serves_one_request_at_a_time() {
    let mut builder = Builder::echo(DataPlane::None, 1).load(40.0, 4, Arrivals::InStep);
    builder.scenario.behaviors[1].workers = 1;
    builder.scenario.behaviors[1].wait_time = Distribution::Constant(SimDuration::from_millis(10));
    let run = simulate(&builder.scenario, 1, 0);
    let slowest = run.sources[0].response_times.max().unwrap().as_millis_f64();
    assert!((40.0..41.0).contains(&slowest), "the fourth waits for three: {slowest} ms");
}

#[test]
fn a_full_queue_refuses_what_comes_beyond_it_at_once() {
    let mut builder = Builder::echo(DataPlane::None, 1).load(80.0, 8, Arrivals::InStep);
    let echo = &mut builder.scenario.behaviors[1];
    (echo.workers, echo.queue_limit) = (1, Some(3));
    echo.wait_time = Distribution::Constant(SimDuration::from_millis(10));
    let run = simulate(&builder.scenario, 1, 0);
    // Of each burst of eight one is served, three wait, four are refused.
    let rows = run.responses.iter().map(|row| (row.response_code, row.requests));
    assert_eq!(rows.collect::<Vec<_>>(), [(200, 400), (503, 400)]);
    assert_eq!(run.sources[0].failed_requests, 400);
    let echo = &run.workloads[1];
    assert_eq!((echo.requests, echo.queued, echo.refused), (400, 300, 400));
    let times = &run.sources[0].response_times;
    assert!(times.quantile(0.49).unwrap().as_millis_f64() < 1.0, "a refusal takes no time");
    assert!((40.0..41.0).contains(&times.max().unwrap().as_millis_f64()), "three go before");
}

#[test]
fn without_a_queue_there_is_no_waiting_at_all() {
    let mut builder = Builder::echo(DataPlane::Sidecar, 1).load(80.0, 8, Arrivals::InStep);
    (builder.scenario.behaviors[1].workers, builder.scenario.behaviors[1].queue_limit) =
        (2, Some(0));
    builder.scenario.behaviors[1].wait_time = Distribution::Constant(SimDuration::from_millis(10));
    let run = simulate(&builder.scenario, 1, 0);
    let echo = &run.workloads[1];
    assert_eq!((echo.requests, echo.queued, echo.refused), (200, 0, 600));
}

#[test]
fn long_computations_share_the_cores_evenly() {
    let mut builder = Builder::echo(DataPlane::None, 1).load(8.0, 8, Arrivals::InStep);
    builder.scenario.nodes[1].cores = 1;
    builder.scenario.behaviors[1].cpu_time = Distribution::Constant(SimDuration::from_millis(90));
    let run = simulate(&builder.scenario, 1, 0);
    let times = &run.sources[0].response_times;
    let first = times.quantile(0.0).unwrap().as_millis_f64();
    // Under processor sharing all eight end together after 720 ms; a slice is 0.75 ms.
    assert!(first > 700.0, "first to end after {first} ms");
    assert!(times.max().unwrap().as_millis_f64() < 725.0);
}

/// A front that calls two services side by side, then a third, each 10 ms.
fn fan_out(failures: Option<Failures>) -> RunSummary {
    let mut builder = Builder::new(DataPlane::None);
    builder.workload("client", 1, 0, Role::Application, echo_behavior());
    let mut leaf = echo_behavior();
    leaf.wait_time = Distribution::Constant(SimDuration::from_millis(10));
    let call = |builder: &mut Builder, name: &str, failures| {
        let behavior = crate::workload::Behavior { failures, ..leaf.clone() };
        let pods = builder.workload(name, 1, 1, Role::Application, behavior);
        let to = builder.service(name, "http", pods);
        Call { to, probability: 1.0, count: 1, request_bytes: 0 }
    };
    let placeholder = builder.service("front", "http", Vec::new());
    let (a, b) = (call(&mut builder, "a", None), call(&mut builder, "b", None));
    let c = call(&mut builder, "c", failures);
    let mut front = echo_behavior();
    front.calls = vec![vec![a, b], vec![c]];
    let front = builder.workload("front", 1, 1, Role::Application, front);
    let Target::Service { service, .. } = placeholder else { unreachable!("it is a service") };
    builder.scenario.services[service.index()].endpoints = front;
    let builder = builder.load(5.0, 1, Arrivals::InStep);
    assert_eq!(builder.scenario.loads[0].from, Some(WorkloadId(0)));
    simulate(&builder.scenario, 1, 0)
}

#[test]
fn steps_follow_one_another_and_calls_of_a_step_run_side_by_side() {
    let run = fan_out(None);
    let slowest = run.sources[0].response_times.max().unwrap().as_millis_f64();
    assert!((20.0..21.5).contains(&slowest), "two steps of 10 ms took {slowest} ms");
    let requests: Vec<_> = run.sources.iter().map(|edge| edge.requests).collect();
    assert_eq!(requests, [50, 50, 50, 50]);
}

#[test]
fn a_call_that_fails_fails_the_caller() {
    let run = fan_out(Some(Failures { status: 503, probability: 1.0 }));
    assert_eq!(run.sources[0].failed_requests, 50);
    let codes: Vec<_> = run
        .responses
        .iter()
        .filter(|row| row.source == "test/client")
        .map(|row| row.response_code)
        .collect();
    assert_eq!(codes, [500]);
}

#[test]
fn calls_side_by_side_that_find_nobody_fail_their_caller_once() {
    let mut builder = Builder::echo(DataPlane::None, 1);
    let to = builder.service("nobody", "http", Vec::new());
    let call = Call { to, probability: 1.0, count: 1, request_bytes: 0 };
    builder.scenario.behaviors[1].calls = vec![vec![call.clone(), call]];
    let run = lone_requests(builder);
    let outcomes = run.sources.iter().map(|source| (source.requests, source.failed_requests));
    assert_eq!(outcomes.collect::<Vec<_>>(), [(100, 100), (100, 100), (100, 100)]);
}

#[test]
fn kube_proxy_keeps_a_connection_where_it_is_and_a_sidecar_spreads_its_requests() {
    let busy_pods = |plane| {
        let builder = Builder::echo(plane, 3).load(100.0, 1, Arrivals::InStep);
        let mut world_of = builder.scenario.clone();
        // A workload per pod tells them apart in the summary.
        for pod in 1..4 {
            let mut alone = world_of.workloads[1].clone();
            alone.name = format!("echo-{pod}");
            alone.pods = vec![crate::cluster::PodId(pod)];
            world_of.workloads.push(alone);
            let workload = WorkloadId(world_of.workloads.len() as u32 - 1);
            world_of.pods[pod as usize].workload = workload;
        }
        world_of.workloads[1].pods.clear();
        let run = simulate(&world_of, 1, 0);
        run.workloads.iter().filter(|w| w.workload.contains("echo-") && w.requests > 0).count()
    };
    assert_eq!(busy_pods(DataPlane::None), 1);
    assert_eq!(busy_pods(DataPlane::Ambient), 1);
    assert_eq!(busy_pods(DataPlane::Sidecar), 3);
}

#[test]
fn the_same_run_twice_is_the_same_run_and_another_replication_is_another() {
    let scenario = Builder::echo(DataPlane::Sidecar, 3)
        .costs(|costs| costs.work_cv = 0.5)
        .load(200.0, 8, Arrivals::Poisson)
        .scenario;
    let digest = |seed, replication| simulate(&scenario, seed, replication).digest;
    assert_eq!(digest(1, 0), digest(1, 0));
    assert_ne!(digest(1, 0), digest(1, 1));
    assert_ne!(digest(1, 0), digest(2, 0));
}

#[test]
fn a_tunnel_unused_for_five_minutes_is_opened_anew() {
    let slowest = |gap_s: u64| {
        let rate = 1.0 / gap_s as f64;
        let mut builder = Builder::echo(DataPlane::Ambient, 1).load(rate, 1, Arrivals::Constant);
        builder.scenario.loads[0].keep_alive = false;
        builder.scenario.warm_up = SimDuration::from_secs(1000);
        builder.scenario.duration = SimDuration::from_secs(2000);
        let run = simulate(&builder.scenario, 1, 0);
        run.sources[0].response_times.max().unwrap().as_nanos() as f64 / 1e3
    };
    // TCP and TLS between the nodes, and the cryptography of both sides.
    let handshake = 4.0 * ZONE_HOP + 300.0 + 250.0;
    assert_close(slowest(400) - slowest(200), handshake);
}

fn counter(run: &RunSummary, proxy: &str, name: &str) -> u64 {
    let proxy = run.proxies.iter().find(|p| p.proxy == proxy).expect("the proxy exists");
    proxy.counters.iter().find(|(known, _)| *known == name).expect("the counter exists").1
}

#[test]
fn http_1_1_needs_a_connection_per_request_in_flight_and_http_2_one_per_worker_and_host() {
    let upstream_connections = |port: &str| {
        let mut builder = Builder::new(DataPlane::Sidecar);
        builder.workload("client", 1, 0, Role::Application, echo_behavior());
        let endpoints = builder.workload("echo", 1, 1, Role::Application, echo_behavior());
        builder.service("echo", port, endpoints);
        let run = simulate(&builder.load(160.0, 16, Arrivals::InStep).scenario, 1, 0);
        counter(&run, "test/client-0", "upstream_cx_total")
    };
    assert_eq!(upstream_connections("http"), 16, "sixteen at once");
    assert_eq!(upstream_connections("grpc"), 2, "two workers, one host");
}

#[test]
fn a_port_that_is_plain_tcp_loses_reporters_and_the_choice_per_request() {
    let mut builder = Builder::new(DataPlane::Sidecar);
    builder.workload("client", 1, 0, Role::Application, echo_behavior());
    let endpoints = builder.workload("echo", 3, 1, Role::Application, echo_behavior());
    builder.service("echo", "tcp", endpoints);
    let run = simulate(&builder.load(100.0, 1, Arrivals::InStep).scenario, 1, 0);
    let reporters: Vec<_> = run.responses.iter().map(|row| row.reporter).collect();
    assert_eq!(reporters, [Reporter::Client]);
    let servers_at_work = run
        .proxies
        .iter()
        .filter(|proxy| proxy.workload == "test/echo" && proxy.visits > 0)
        .count();
    assert_eq!(servers_at_work, 1, "one connection, one endpoint");
    let client = |name| counter(&run, "test/client-0", name);
    assert_eq!(client("istio_requests_total"), 0, "nobody parsed a request");
    assert_eq!(client("istio_tcp_connections_opened_total"), 1);
}

#[test]
fn a_client_outside_reaches_sidecars_through_the_load_balancer_and_a_gateway() {
    let mut builder = Builder::echo(DataPlane::Sidecar, 3);
    builder.workload("gateway", 1, 1, Role::Gateway, echo_behavior());
    let mut builder = builder.load(100.0, 4, Arrivals::Uniform);
    builder.scenario.loads[0].from = None;
    builder.scenario.loads[0].via = Some(WorkloadId(2));
    let run = simulate(&builder.scenario, 1, 0);
    assert_eq!(run.sources[0].source, "external");
    assert_eq!(run.sources[0].failed_requests, 0);
    let reporters: Vec<_> = run.responses.iter().map(|r| (r.reporter, r.requests)).collect();
    let each = |reporter| (reporter, 1000);
    assert_eq!(reporters, [Reporter::Client, Reporter::Source, Reporter::Destination].map(each));
    let gateway = run.proxies.iter().find(|proxy| proxy.kind == ProxyKind::Gateway).unwrap();
    assert_eq!(gateway.requests, 1000);
    // The gateway stands on the servers' node; the world outside is as near as another node.
    let envoys = ON_THE_WAY * (300.0 + 360.0);
    let hops = 2.0 * ZONE_HOP + 2.0 * NODE_HOP + 2.0 * POD_HOP;
    let fastest = run.sources[0].response_times.quantile(0.0).unwrap().as_nanos() as f64 / 1e3;
    assert_close(fastest, CLIENT + hops + envoys + APP);
}

#[test]
fn an_internal_gateway_makes_three_parses_between_sidecars() {
    let mut builder = Builder::echo(DataPlane::Sidecar, 3);
    builder.workload("gateway", 1, 1, Role::Gateway, echo_behavior());
    let mut builder = builder.load(100.0, 4, Arrivals::Uniform);
    builder.scenario.loads[0].via = Some(WorkloadId(2));
    let run = simulate(&builder.scenario, 1, 0);
    let parses: u64 =
        run.responses.iter().filter(|r| r.reporter != Reporter::Client).map(|r| r.requests).sum();
    assert_eq!(parses, 3 * 1000);
}

#[test]
fn of_several_gateways_the_one_that_the_load_names_is_used() {
    let mut builder = Builder::echo(DataPlane::None, 1);
    for name in ["first", "second"] {
        builder.workload(name, 1, 1, Role::Gateway, echo_behavior());
    }
    let mut builder = builder.load(100.0, 4, Arrivals::Uniform);
    builder.scenario.loads[0].via = Some(WorkloadId(3));
    let run = simulate(&builder.scenario, 1, 0);
    let requests: Vec<_> = run.proxies.iter().map(|p| (p.proxy.as_str(), p.requests)).collect();
    assert_eq!(requests, [("test/first-0", 0), ("test/second-0", 1000)]);
}

#[test]
fn another_zone_is_farther_away() {
    let mut builder = Builder::echo(DataPlane::None, 1);
    builder.scenario.nodes[1].zone = "zone-b".into();
    assert_close(response_time_us(&lone_requests(builder)), CLIENT + 2.0 * 400.0 + APP);
}

#[test]
fn a_payload_costs_every_proxy_its_bytes_both_ways() {
    let time = |bytes: u64| {
        let mut builder =
            Builder::echo(DataPlane::Sidecar, 1).costs(|costs| costs.payload_cpu = 1.5);
        builder.scenario.behaviors[1].response_bytes = bytes;
        let mut builder = builder.load(10.0, 1, Arrivals::InStep);
        builder.scenario.loads[0].request_bytes = bytes;
        response_time_us(&simulate(&builder.scenario, 1, 0))
    };
    // 100 KB beyond the first, there and back, through two sidecars.
    assert_close(time(101 * 1024) - time(1024), 4.0 * 1.5e-3 * 102_400.0);
}

#[test]
fn the_utilization_law_holds_on_the_node() {
    let builder = Builder::echo(DataPlane::Sidecar, 3).load(1000.0, 16, Arrivals::Poisson);
    let run = simulate(&builder.scenario, 1, 0);
    let served = run.sources[0].requests as f64 / run.measured_s;
    let cores = run.nodes[1].cpu_ns as f64 / 1e9 / run.measured_s;
    let demand = (360.0 + APP) * 1e-6;
    assert!((cores / (served * demand) - 1.0).abs() < 0.01, "{cores} cores");
}

#[test]
fn a_stall_stops_the_node_and_is_told() {
    let builder = Builder::echo(DataPlane::None, 1).costs(|costs| {
        costs.stall_interval = 2.0;
        costs.stall_median = 50.0;
        costs.stall_sigma = 0.0;
    });
    let run = simulate(&builder.load(200.0, 4, Arrivals::Uniform).scenario, 1, 0);
    assert!(run.events.iter().any(|event| event.event == "node_stalled"));
    let slowest = run.sources[0].response_times.max().unwrap().as_millis_f64();
    assert!((45.0..60.0).contains(&slowest), "{slowest} ms");
}

/// Two echo pods behind one Service, the second without the sidecar that the first has; the
/// client's own data plane is `client`.
fn half_captured(client: DataPlane) -> Builder {
    let mut builder = Builder::echo(DataPlane::Sidecar, 2);
    builder.scenario.enrolments[0].data_plane = client;
    builder.scenario.enrolments[2].data_plane = DataPlane::None;
    builder
}

/// Requests that a server's own proxy parsed.
fn parsed_by_the_server(run: &RunSummary) -> u64 {
    let rows = run.responses.iter().filter(|row| row.reporter == Reporter::Destination);
    rows.map(|row| row.requests).sum()
}

#[test]
fn pods_of_one_service_are_each_reached_as_the_mesh_captures_them() {
    let run = lone_requests(half_captured(DataPlane::Sidecar));
    let base = CLIENT + 2.0 * ZONE_HOP + APP;
    let plain = base + 2.0 * POD_HOP + ON_THE_WAY * 340.0;
    let captured = base + 4.0 * POD_HOP + ON_THE_WAY * (340.0 + 360.0);
    let times = &run.sources[0].response_times;
    let us = |time: Option<SimDuration>| time.unwrap().as_nanos() as f64 / 1e3;
    assert_close(us(times.min()), plain);
    // The first request to each pod opens a connection.
    assert_close(us(times.quantile(0.95)), captured);
    let parsed = parsed_by_the_server(&run);
    assert!((1..100).contains(&parsed), "{parsed} of 100 requests met a server sidecar");
}

#[test]
fn connections_that_kube_proxy_or_ztunnel_place_end_at_pods_in_and_outside_the_mesh() {
    for client in [DataPlane::None, DataPlane::Ambient] {
        let builder = half_captured(client).load(160.0, 16, Arrivals::InStep);
        let run = simulate(&builder.scenario, 1, 0);
        assert_eq!((run.sources[0].requests, run.sources[0].failed_requests), (1600, 0));
        let parsed = parsed_by_the_server(&run);
        assert!((1..1600).contains(&parsed), "{client:?}: {parsed} of 1600 met a sidecar");
    }
}
