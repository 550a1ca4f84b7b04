//! The machines: from the `Cluster`, from Node objects, from where pods run, or assumed.

use std::collections::BTreeSet;

use super::api;
use super::coverage::Assumption;
use super::inventory::{Inventory, Sourced};
use crate::cluster::Node;
use crate::cluster::kube_proxy::KubeProxyMode;
use crate::cluster::scheduler::{HOSTNAME, ZONE};
use crate::cluster::taint::{Taint, TaintEffect};
use crate::scenario::problem::Problem;
use crate::scenario::spec::{ClusterSpec, NodePoolSpec};
use crate::units::Quantity;

/// Nodes that are assumed where nothing says what there is.
const ASSUMED_NODES: u32 = 3;
/// CPU of an assumed node: an m-size instance of the large clouds has 4 cores and 16 GiB.
const ASSUMED_CPU: Quantity = Quantity::from_millicores(4000);
/// Memory of an assumed node.
const ASSUMED_MEMORY: Quantity = Quantity::from_bytes(16 << 30);
/// The kubelet's `maxPods`.
const MAX_PODS: u32 = 110;
/// The zone of nodes that name none.
const ASSUMED_ZONE: &str = "zone-a";

const REGION: &str = "topology.kubernetes.io/region";
/// Labels of Kubernetes before 1.17.
const OLD_ZONE: &str = "failure-domain.beta.kubernetes.io/zone";
const OLD_REGION: &str = "failure-domain.beta.kubernetes.io/region";
/// The label that names a node's pool.
const POOL: &str = "meshsim/node-pool";

/// The machines and what was assumed of them.
pub(super) struct Machines {
    pub(super) nodes: Vec<Node>,
    pub(super) kube_proxy: KubeProxyMode,
    pub(super) assumptions: Vec<Assumption>,
}

/// The machines of the model, whose pods run on the nodes named `observed`.
///
/// A `Cluster` stands before Node objects: it is the what-if.
pub(super) fn machines(inventory: &mut Inventory<'_>, observed: &BTreeSet<&str>) -> Machines {
    let cluster = the_cluster(inventory);
    let kube_proxy = cluster.as_ref().map(|cluster| cluster.kube_proxy.mode).unwrap_or_default();
    let mut pools = cluster.map(|cluster| cluster.node_pools).unwrap_or_default();
    if let Some(problem) = too_many_nodes(&pools, inventory) {
        // A single pool that is too large has been found already.
        if !inventory.notes.problems.has_errors() {
            inventory.notes.problems.push(problem);
        }
        pools.clear();
    }
    let mut assumptions = Vec::new();
    let nodes = if !pools.is_empty() {
        pools.iter().flat_map(nodes_of_pool).collect()
    } else if !inventory.nodes.is_empty() {
        inventory.nodes.iter().map(|node| node_of_object(node, &mut assumptions)).collect()
    } else {
        assumed_nodes(observed, &mut assumptions)
    };
    Machines { nodes, kube_proxy, assumptions }
}

fn the_cluster(inventory: &mut Inventory<'_>) -> Option<ClusterSpec> {
    let mut clusters = inventory.own.clusters.iter();
    let first = clusters.next()?;
    for other in clusters {
        let sentence =
            format!("is a second Cluster; the first stands at {}", first.object.origin());
        inventory.notes.problems.push(other.object.locate(Problem::statement("kind", sentence)));
    }
    Some(first.spec.clone())
}

/// Kubernetes is built for 5,000 nodes; twice as many in a model are a slip.
fn too_many_nodes(pools: &[NodePoolSpec], inventory: &Inventory<'_>) -> Option<Problem> {
    const MOST: u64 = 10_000;
    let nodes: u64 = pools.iter().map(|pool| u64::from(pool.nodes)).sum();
    let rule = format!("at most {MOST} nodes together");
    let problem = Problem::violation("spec.nodePools", format!("{nodes} nodes"), rule);
    let cluster = inventory.own.clusters.first()?;
    (nodes > MOST).then(|| cluster.object.locate(problem))
}

fn nodes_of_pool(pool: &NodePoolSpec) -> Vec<Node> {
    let zone = pool.zone.as_deref().unwrap_or(ASSUMED_ZONE);
    let node = |index| {
        let name = format!("{}-{index}", pool.name);
        let labels = [(POOL, pool.name.as_str()), (ZONE, zone), (REGION, region_of(zone))];
        new_node(name, labels, pool.cpu, pool.memory, pool.max_pods)
    };
    (0..pool.nodes).map(node).collect()
}

/// The region of a zone as the large clouds name them: `eu-west-1a`, `us-central1-a`.
fn region_of(zone: &str) -> &str {
    let region = zone.strip_suffix(|c: char| c.is_ascii_lowercase()).unwrap_or(zone);
    let region = region.strip_suffix('-').unwrap_or(region);
    if region.ends_with(|c: char| c.is_ascii_digit()) { region } else { zone }
}

fn new_node<'a>(
    name: String,
    labels: impl IntoIterator<Item = (&'a str, &'a str)>,
    cpu: Quantity,
    memory: Quantity,
    max_pods: u32,
) -> Node {
    let labels = labels.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
    let mut labels: std::collections::BTreeMap<String, String> = labels.collect();
    labels.entry(HOSTNAME.to_owned()).or_insert_with(|| name.clone());
    let get = |key: &str| labels.get(key).cloned();
    Node {
        name,
        zone: get(ZONE).unwrap_or_default(),
        region: get(REGION).unwrap_or_default(),
        cores: cores(cpu),
        allocatable_millicores: cpu.millicores(),
        allocatable_bytes: memory.bytes(),
        max_pods,
        labels: labels.into_iter().collect(),
        taints: Vec::new(),
    }
}

/// Whole cores, at least 1.
fn cores(cpu: Quantity) -> u32 {
    u32::try_from(cpu.bytes().max(1)).unwrap_or(u32::MAX)
}

fn node_of_object(
    Sourced { object, value }: &Sourced<'_, api::Node>,
    assumptions: &mut Vec<Assumption>,
) -> Node {
    let api::Node { metadata, spec, status } = value;
    let of = |resource: &str| {
        status.allocatable.get(resource).or_else(|| status.capacity.get(resource)).copied()
    };
    if of("cpu").is_none() || of("memory").is_none() {
        assumptions.push(Assumption {
            subject: object.label(),
            assumed: "4 CPU, 16 GiB".to_owned(),
            because: "its status gives no allocatable CPU and memory".to_owned(),
            instead: "dump it with `kubectl get node -o yaml`, or describe it in a `Cluster`"
                .to_owned(),
        });
    }
    let cpu = of("cpu").unwrap_or(ASSUMED_CPU);
    let max_pods =
        of("pods").map_or(MAX_PODS, |pods| u32::try_from(pods.bytes()).unwrap_or(u32::MAX));
    let mut labels = metadata.labels.clone();
    for (old, new) in [(OLD_ZONE, ZONE), (OLD_REGION, REGION)] {
        if let Some(value) = metadata.label(old) {
            labels.entry(new.to_owned()).or_insert_with(|| value.to_owned());
        }
    }
    let labels = labels.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    let memory = of("memory").unwrap_or(ASSUMED_MEMORY);
    let mut node = new_node(object.name.clone(), labels, cpu, memory, max_pods);
    node.cores = cores(status.capacity.get("cpu").copied().unwrap_or(cpu));
    node.taints = taints(spec);
    node
}

fn taints(spec: &api::NodeSpec) -> Vec<Taint> {
    let as_written = spec.taints.iter().map(|taint| Taint {
        key: taint.key.clone(),
        value: taint.value.clone(),
        effect: taint.effect.into(),
    });
    // `kubectl cordon` sets the field; the node controller adds the taint.
    let cordoned = spec.unschedulable.then(|| Taint {
        key: "node.kubernetes.io/unschedulable".to_owned(),
        value: String::new(),
        effect: TaintEffect::NoSchedule,
    });
    as_written.chain(cordoned).collect()
}

fn assumed_nodes(observed: &BTreeSet<&str>, assumptions: &mut Vec<Assumption>) -> Vec<Node> {
    let names: Vec<String> = if observed.is_empty() {
        (0..ASSUMED_NODES).map(|index| format!("node-{index}")).collect()
    } else {
        observed.iter().map(|&name| name.to_owned()).collect()
    };
    let because = if observed.is_empty() {
        "the model has neither Node objects nor a `Cluster`"
    } else {
        "pods name these nodes, but the model has neither Node objects nor a `Cluster`"
    };
    assumptions.push(Assumption {
        subject: "nodes".to_owned(),
        assumed: format!("{} nodes of 4 CPU and 16 GiB in one zone", names.len()),
        because: because.to_owned(),
        instead: "add a `kind: Cluster` with `nodePools`".to_owned(),
    });
    let labels = [(ZONE, ASSUMED_ZONE), (REGION, region_of(ASSUMED_ZONE))];
    let node = |name| new_node(name, labels, ASSUMED_CPU, ASSUMED_MEMORY, MAX_PODS);
    names.into_iter().map(node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_told_from_zones_as_clouds_name_them() {
        for (zone, region) in [
            ("ap-northeast-2a", "ap-northeast-2"),
            ("us-central1-b", "us-central1"),
            ("westeurope-1", "westeurope-1"),
            ("zone-a", "zone-a"),
        ] {
            assert_eq!(region_of(zone), region, "{zone}");
        }
    }
}
