//! Costs in the form in which events need them.

use crate::cluster::kube_proxy::KubeProxyMode;
use crate::engine::Stream;
use crate::scenario::Scenario;
use crate::units::SimDuration;

use super::connection::Distance;
use super::cpu::WakeUp;
use super::process::Spread;

/// Delays on the wire, and other costs in ready-made form.
#[derive(Clone, Debug)]
pub(crate) struct Delays {
    /// One way, in nanoseconds, by [`Distance`].
    pub(crate) hop_ns: [f64; 4],
    /// Spread of hops inside a zone.
    pub(crate) hop_spread: Spread,
    /// Spread of hops across zones.
    pub(crate) cross_zone_spread: Spread,
    /// First packet of a connection through kube-proxy's rules.
    pub(crate) kube_proxy: SimDuration,
    /// TLS handshake at the client.
    pub(crate) tls_client_ns: f64,
    /// TLS handshake at the server.
    pub(crate) tls_server_ns: f64,
    /// Spread of CPU work.
    pub(crate) work_spread: Spread,
    /// Share of a wake-up that is CPU time.
    pub(crate) wake_cpu_share: f64,
    /// Wake-ups.
    pub(crate) wake_up: WakeUp,
}

impl Delays {
    /// What the scenario's costs make of them.
    pub(crate) fn of(scenario: &Scenario) -> Self {
        let costs = &scenario.costs;
        let ns = |micros: f64| micros * 1e3;
        Self {
            hop_ns: [
                ns(costs.hop_same_pod),
                ns(costs.hop_same_node),
                ns(costs.hop_same_zone),
                ns(costs.hop_cross_zone),
            ],
            hop_spread: Spread::around_median(costs.hop_sigma),
            cross_zone_spread: Spread::around_median(costs.hop_cross_zone_sigma),
            kube_proxy: SimDuration::from_nanos(ns(kube_proxy_us(scenario)) as u64),
            tls_client_ns: ns(costs.tls_client_cpu),
            tls_server_ns: ns(costs.tls_server_cpu),
            work_spread: Spread::from_cv(costs.work_cv),
            wake_cpu_share: costs.wake_cpu_share,
            wake_up: WakeUp::new(costs),
        }
    }

    /// Draws the time one way over `distance`.
    #[inline]
    pub(crate) fn hop(&self, distance: Distance, rng: &mut Stream) -> SimDuration {
        let spread = match distance {
            Distance::CrossZone => &self.cross_zone_spread,
            _ => &self.hop_spread,
        };
        spread.draw(self.hop_ns[distance as usize], rng)
    }
}

/// Delay of a connection's first packet through kube-proxy's rules, in microseconds.
fn kube_proxy_us(scenario: &Scenario) -> f64 {
    let costs = &scenario.costs;
    match scenario.kube_proxy {
        KubeProxyMode::Iptables => {
            let thousands_of_services = scenario.services.len() as f64 / 1e3;
            costs.iptables_base + costs.iptables_per_1000_services * thousands_of_services
        }
        KubeProxyMode::Nftables | KubeProxyMode::Ipvs => costs.nftables_base,
    }
}
