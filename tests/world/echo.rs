//! The model that comes along: `models/echo` in all its variants.

use super::*;

fn echo(overrides: VariantOverrides) -> Model {
    let manifests = load_model(Path::new("models/echo"));
    assert!(manifests.problems.is_empty(), "{}", manifests.problems);
    build(&manifests.objects, overrides).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn requests_cross_from_the_client_node_to_the_server_node_in_every_variant() {
    for overrides in [
        with(DataPlaneSpec::None),
        with(DataPlaneSpec::Sidecar),
        with(DataPlaneSpec::Ambient),
        with_waypoint(WaypointSpec::Service),
    ] {
        let model = echo(overrides);
        assert_eq!(nodes_of(&model, "client"), ["client-0"]);
        assert_eq!(nodes_of(&model, "echo"), ["server-0"; 3]);
        assert_eq!(warnings(&model), [""; 0]);
    }
}

#[test]
fn the_waypoint_is_there_only_for_the_variant_that_wants_it_and_stays_where_it_is_pinned() {
    for data_plane in [DataPlaneSpec::None, DataPlaneSpec::Sidecar, DataPlaneSpec::Ambient] {
        let model = echo(with(data_plane));
        assert!(model.waypoints.is_empty() && model.workloads.len() == 2, "{data_plane:?}");
        assert_eq!(model.services.len(), 1);
    }
    let model = echo(with_waypoint(WaypointSpec::Service));
    assert_eq!(nodes_of(&model, "waypoint"), ["server-0"]);
    assert_eq!(waypoint_of_service(&model, "echo"), Some("waypoint"));
    assert_eq!(waypoint_of_pod(&model, "echo-0"), None);
    assert_eq!(enrolment_of(&model, "waypoint").concurrency, 2);
}

#[test]
fn nothing_that_matters_is_left_out_or_assumed() {
    let coverage = echo(with(DataPlaneSpec::Sidecar)).coverage;
    assert!(coverage.is_complete(), "{coverage}");
    assert_eq!(coverage.assumptions, []);
}

#[test]
fn echo_answers_after_its_fitted_cpu_time() {
    let model = echo(with(DataPlaneSpec::None));
    let echo = model.workload("echo").unwrap();
    let behavior = &model.behaviors[model.workloads[echo.index()].behavior];
    assert_eq!(behavior.cpu_time, Distribution::Constant(SimDuration::from_micros(23)));
    assert_eq!(behavior.response_bytes, 1024);
}
