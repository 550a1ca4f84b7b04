//! The first packet of a connection through kube-proxy's rules.

use crate::cluster::kube_proxy::KubeProxyMode;
use crate::cost::CostModel;
use crate::import::calibration::shipped_calibration;
use crate::scenario::Scenario;
use crate::scenario::problem::Problems;
use crate::validation::bench::{Bench, Plane, Traffic, quantile_ms};
use crate::validation::claim::{Claim, Kind, Reference};
use crate::validation::effort::Effort;
use crate::validation::figures::{Figure, series};
use crate::validation::replication::{interval, observe};
use crate::validation::suite::Suite;
use crate::workload::{Arrivals, Distribution};

use super::memory::add_services;

pub(super) fn suite() -> Suite {
    Suite {
        kind: Kind::Published,
        title: "kube-proxy",
        method: "A connection per request in a cluster of that many Services, where nothing costs \
                 anything but kube-proxy. The medians were used for the calibration.",
        remark: "The calibration gives every connection the median. In an iptables chain a packet \
                 passes the rules of the Services before its own, so delays spread over the \
                 chain: a P99 of three times the median is missing here. The medians themselves \
                 do not grow evenly: 0.049, 0.063 and 0.274 ms.",
        simulate: claims,
    }
}

fn claims(effort: Effort) -> Result<Vec<Claim>, Problems> {
    let (series, figures) = series("kube-proxy")?;
    let mut bench = Bench::two_pods(only_kube_proxy()?)?;
    bench.server_computes(Distribution::ZERO);
    let claim = |figure: &Figure| {
        let scenario = scenario(&bench, figure, effort)?;
        let quantile = figure.quantile().unwrap_or(f64::NAN);
        let delays = observe(&scenario, effort.replications_of_measurements(), |run| {
            quantile_ms(run, quantile)
        });
        let Figure { mode, subject, statistic, .. } = figure;
        let text = format!("{}: {statistic} under {mode}, {subject} Services", series.title);
        let reference = Reference::new(text, figure.value, &figure.unit, &series.source);
        let claim = Claim::shown(Kind::Published, reference, interval(&delays));
        Ok(if statistic == "P50" { claim.fitted() } else { claim })
    };
    figures.iter().map(claim).collect()
}

fn only_kube_proxy() -> Result<CostModel, Problems> {
    let (_, costs) = shipped_calibration("eks-arm64-istio-1.31")?;
    Ok(CostModel {
        iptables_base: costs.iptables_base,
        iptables_per_1000_services: costs.iptables_per_1000_services,
        nftables_base: costs.nftables_base,
        ..CostModel::free()
    })
}

fn scenario(bench: &Bench, figure: &Figure, effort: Effort) -> Result<Scenario, Problems> {
    let traffic = Traffic { keep_alive: false, ..Traffic::new(100.0, 4, Arrivals::Uniform) };
    let mut scenario = bench.scenario(Plane::None, &traffic, effort.seconds(5))?;
    add_services(&mut scenario, figure.subject.parse().unwrap_or(0));
    scenario.kube_proxy = match figure.mode.as_str() {
        "nftables" => KubeProxyMode::Nftables,
        _ => KubeProxyMode::Iptables,
    };
    Ok(scenario)
}
