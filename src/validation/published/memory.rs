//! Memory of an Envoy by the clusters it knows.

use crate::cluster::{Service, ServicePort};
use crate::import::calibration::shipped_calibration;
use crate::scenario::Scenario;
use crate::scenario::problem::Problems;
use crate::validation::bench::{Bench, Plane, Traffic, is_sidecar_of};
use crate::validation::claim::{Claim, Kind, Reference};
use crate::validation::effort::Effort;
use crate::validation::figures::{Figure, series};
use crate::validation::prediction::bytes_of;
use crate::validation::replication::{interval, observe};
use crate::validation::suite::Suite;
use crate::workload::Arrivals;

pub(super) fn suite() -> Suite {
    Suite {
        kind: Kind::Published,
        title: "Memory by configuration",
        method: "A sidecar in a cluster of that many Services with one port each. The figures \
                 were used for the calibration.",
        remark: "Listeners take memory of their own, which the model does not tell from that of \
                 clusters; the second figure is a gateway with 32 workers and neither an agent \
                 nor listeners for each cluster.",
        simulate: claims,
    }
}

fn claims(_: Effort) -> Result<Vec<Claim>, Problems> {
    let (series, figures) = series("envoy-memory")?;
    let (_, costs) = shipped_calibration("eks-arm64-istio-1.31")?;
    let bench = Bench::two_pods(costs)?;
    let claim = |figure: &Figure| {
        let traffic = Traffic::new(10.0, 1, Arrivals::Uniform);
        let mut scenario = bench.scenario(Plane::Sidecar, &traffic, 1)?;
        add_services(&mut scenario, figure.subject.parse().unwrap_or(0));
        // Memory has no chance in it; an interval wants two observations all the same.
        let memory = observe(&scenario, 2, |run| {
            let sidecar = run.proxies.iter().find(|proxy| is_sidecar_of(proxy, "client"));
            let bytes = sidecar.map_or(f64::NAN, |proxy| proxy.memory_bytes as f64);
            bytes / bytes_of(&figure.unit)
        });
        let text = format!("{}: {} clusters", series.title, figure.subject);
        let reference = Reference::new(text, figure.value, &figure.unit, &series.source);
        Ok(Claim::shown(Kind::Published, reference, interval(&memory)).fitted())
    };
    figures.iter().map(claim).collect()
}

/// Adds Services without endpoints until there are `count`.
pub(super) fn add_services(scenario: &mut Scenario, count: usize) {
    for number in scenario.services.len()..count {
        scenario.services.push(Service {
            name: format!("other-{number}"),
            namespace: "other".into(),
            ports: vec![ServicePort {
                name: "http".into(),
                port: 80,
                target_port: 80,
                app_protocol: None,
            }],
            endpoints: Vec::new(),
            headless: false,
        });
        scenario.waypoint_of_service.push(None);
        scenario.ingress_use_waypoint.push(false);
    }
}
