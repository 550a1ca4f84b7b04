//! kube-proxy: which endpoint a new connection to a Service's cluster IP is sent to.
//!
//! The choice falls once per connection, on its first packet; an established
//! connection keeps it (conntrack) whatever becomes of the endpoint list, and a
//! failed choice is a failed connection: there is no retry.
//!
//! Source: kubernetes.io "Virtual IPs and Service Proxies" (1.33) for the modes;
//! the default scheduler of IPVS is round robin.

use rand::{Rng, RngExt};

/// How kube-proxy programs the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KubeProxyMode {
    /// Chains of iptables rules: uniform random choice, cost grows with the number of services.
    #[default]
    Iptables,
    /// nftables maps: uniform random choice at a cost independent of the number of services.
    Nftables,
    /// The kernel's virtual server, default scheduler `rr`: endpoints in turn, per node and service.
    Ipvs,
}

/// One node's choice for one service: the only state is IPVS' position in the ring.
#[derive(Clone, Copy, Debug, Default)]
pub struct EndpointChoice {
    next: usize,
}

impl EndpointChoice {
    /// The index of the endpoint for a new connection; `None` if there is no endpoint,
    /// which the kernel answers with a refusal.
    pub fn pick(
        &mut self,
        mode: KubeProxyMode,
        endpoint_count: usize,
        rng: &mut impl Rng,
    ) -> Option<usize> {
        if endpoint_count == 0 {
            return None;
        }
        Some(match mode {
            KubeProxyMode::Iptables | KubeProxyMode::Nftables => {
                rng.random_range(0..endpoint_count)
            }
            KubeProxyMode::Ipvs => {
                let turn = self.next % endpoint_count;
                self.next = (turn + 1) % endpoint_count;
                turn
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;

    fn picks(mode: KubeProxyMode, endpoints: usize, connections: usize) -> Vec<usize> {
        let mut choice = EndpointChoice::default();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        (0..connections).filter_map(|_| choice.pick(mode, endpoints, &mut rng)).collect()
    }

    #[test]
    fn ipvs_takes_endpoints_in_turn() {
        assert_eq!(picks(KubeProxyMode::Ipvs, 3, 7), [0, 1, 2, 0, 1, 2, 0]);
    }

    #[test]
    fn iptables_spreads_connections_evenly_within_four_standard_errors() {
        let chosen = picks(KubeProxyMode::Iptables, 3, 30_000);
        // Binomial: standard error sqrt(30,000 × 1/3 × 2/3) = 82.
        for endpoint in 0..3 {
            let hits = chosen.iter().filter(|&&pick| pick == endpoint).count();
            assert!((hits as f64 - 10_000.0).abs() < 4.0 * 82.0, "{hits} on {endpoint}");
        }
    }

    #[test]
    fn no_endpoint_is_a_refusal_in_every_mode() {
        for mode in [KubeProxyMode::Iptables, KubeProxyMode::Nftables, KubeProxyMode::Ipvs] {
            assert!(picks(mode, 0, 3).is_empty());
        }
    }
}
