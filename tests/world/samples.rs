//! Files of real people; skipped where they are not at hand.

use super::*;

fn sample(path: &str) -> Option<Model> {
    let path = Path::new("../shared/inputs").join(path);
    if !path.exists() {
        eprintln!("skipped: {} is not at hand", path.display());
        return None;
    }
    let manifests = load_model(&path);
    Some(build(&manifests.objects, VariantOverrides::default()).unwrap_or_else(|p| panic!("{p}")))
}

#[test]
fn bookinfo_is_four_applications_and_six_workloads() {
    let Some(model) = sample("bookinfo/kube/bookinfo.yaml") else { return };
    assert_eq!(model.services.len(), 4);
    assert_eq!(model.workloads.len(), 6);
    assert!(model.pods.len() == 6 && warnings(&model).is_empty());
    let reviews = model.services.iter().find(|service| service.name == "reviews").unwrap();
    assert_eq!(reviews.endpoints.len(), 3);
}

#[test]
fn online_boutique_fits_its_requests_on_the_assumed_nodes() {
    let Some(model) = sample("online-boutique/kubernetes-manifests.yaml") else { return };
    assert_eq!(model.workloads.len(), 12);
    assert_eq!(warnings(&model), [""; 0]);
    assert_eq!(model.services.len(), 12);
}

#[test]
fn injected_samples_are_seen_as_injected() {
    for file in ["native-sidecar.injected.yaml", "hello-multi.injected.yaml"] {
        let Some(model) = sample(&format!("injected-and-rendered/{file}")) else { return };
        assert!(!model.enrolments.is_empty(), "{file}");
        for enrolment in &model.enrolments {
            assert_eq!(enrolment.data_plane, DataPlane::Sidecar, "{file}");
            assert_eq!(enrolment.concurrency, 2, "{file}");
        }
    }
}

#[test]
fn ambient_samples_name_their_waypoints() {
    let Some(model) = sample("ambient-bookinfo") else { return };
    let names: Vec<_> = model.waypoints.iter().map(|waypoint| waypoint.name.as_str()).collect();
    assert!(
        names.contains(&"bookinfo-details") && names.contains(&"bookinfo-reviews"),
        "{names:?}"
    );
    let Some(model) = sample("ambient-bookinfo/kiali-waypoints/waypoint-fornone.yaml") else {
        return;
    };
    assert_eq!(model.workloads[0].role, Role::Waypoint, "a proxy for no traffic is one still");
    assert!(model.waypoints.is_empty(), "but nothing can be bound to it");
}
