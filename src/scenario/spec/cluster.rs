//! `kind: Cluster`: the hardware, and what of the cluster no manifest says.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Spec;
use super::check::{Check, quoted};
use crate::cluster::kube_proxy::KubeProxyMode;
use crate::scenario::problem::{Problem, Problems};
use crate::units::Quantity;

/// A cluster as written: its nodes by pools, its kube-proxy, its mesh.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ClusterSpec {
    /// Groups of equal nodes; left out, nodes come from `Node` objects or the default pool.
    pub node_pools: Vec<NodePoolSpec>,
    /// How Service addresses are turned into pod addresses.
    pub kube_proxy: KubeProxySpec,
    /// Istio's version, such as `1.31` or `1.24.3`; decides defaults that changed between releases.
    pub mesh_version: Option<String>,
}

/// A group of equal nodes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodePoolSpec {
    /// Prefix of the names of its nodes.
    pub name: String,
    /// How many nodes.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 10_000))]
    pub nodes: u32,
    /// Availability zone of all its nodes; one and the same zone for all pools that name none.
    pub zone: Option<String>,
    /// CPU of each node, in cores.
    pub cpu: Quantity,
    /// Memory of each node.
    pub memory: Quantity,
    /// Most pods that each node takes (the kubelet's default: 110).
    #[serde(default = "kubelet_max_pods")]
    #[schemars(range(min = 1, max = 1000))]
    pub max_pods: u32,
}

/// kube-proxy's configuration.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct KubeProxySpec {
    /// How it programs the kernel.
    #[serde(deserialize_with = "read_mode")]
    #[schemars(with = "ModeName")]
    pub mode: KubeProxyMode,
}

/// kube-proxy's `--proxy-mode`.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum ModeName {
    /// Random choice by chains of rules.
    Iptables,
    /// Random choice by maps.
    Nftables,
    /// The kernel's virtual server, round robin.
    Ipvs,
}

fn read_mode<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<KubeProxyMode, D::Error> {
    Ok(match ModeName::deserialize(deserializer)? {
        ModeName::Iptables => KubeProxyMode::Iptables,
        ModeName::Nftables => KubeProxyMode::Nftables,
        ModeName::Ipvs => KubeProxyMode::Ipvs,
    })
}

fn one() -> u32 {
    1
}

fn kubelet_max_pods() -> u32 {
    110
}

impl Spec for ClusterSpec {
    const KIND: &'static str = "Cluster";

    fn check(&self, path: &str, problems: &mut Problems) {
        let mut check = Check::new(path, problems);
        check.require_unique("nodePools", self.node_pools.iter().map(|pool| pool.name.as_str()));
        for (index, pool) in self.node_pools.iter().enumerate() {
            pool.check(&mut check.part(&format!("nodePools[{index}]")));
        }
        if let Some(version) = &self.mesh_version {
            let rule = "a version of Istio such as `1.31` or `1.24.3`";
            check.require(is_version(version), "meshVersion", quoted(version), rule);
        }
    }
}

impl NodePoolSpec {
    fn check(&self, check: &mut Check<'_>) {
        check.require_name(&self.name, "name");
        check.require_between(self.nodes, "nodes", 1, 10_000);
        check.require_between(self.max_pods, "maxPods", 1, 1000);
        let millicores = self.cpu.millicores();
        let cores = format!("{} cores", millicores as f64 / 1000.0);
        check.require(
            (100..=1_024_000).contains(&millicores),
            "cpu",
            cores,
            "between 0.1 and 1024 cores",
        );
        self.check_memory(check);
    }

    fn check_memory(&self, check: &mut Check<'_>) {
        let bytes = self.memory.bytes();
        if bytes < 64 << 20 {
            let problem = Problem::violation(
                check.path_of("memory"),
                format!("{bytes} bytes"),
                "at least 64Mi",
            );
            check.push(problem.hint("write a suffix: `16Gi`; `m` means thousandths of a byte"));
        } else {
            check.require(bytes <= 32 << 40, "memory", format!("{bytes} bytes"), "at most 32Ti");
        }
    }
}

fn is_version(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    matches!(parts.len(), 2 | 3) && parts.iter().all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_two_or_three_numbers() {
        assert!(is_version("1.31") && is_version("1.24.3"));
        for text in ["1", "v1.31", "1.31-alpha", "1..2", "1.2.3.4", ""] {
            assert!(!is_version(text), "{text}");
        }
    }
}
