use proptest::prelude::*;

use super::super::selector::{Operator, Requirement, Selector};
use super::super::taint::{Taint, TaintEffect, Toleration};
use super::*;

const GIB: u64 = 1 << 30;

fn node(name: &str, zone: &str, cores: u32) -> Node {
    let labels = [(HOSTNAME, name), ("pool", "general"), (ZONE, zone)];
    Node {
        name: name.to_owned(),
        zone: zone.to_owned(),
        region: "region".to_owned(),
        cores,
        allocatable_millicores: u64::from(cores) * 1000,
        allocatable_bytes: u64::from(cores) * 4 * GIB,
        max_pods: 110,
        labels: labels.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec(),
        taints: Vec::new(),
    }
}

fn nodes(count: usize) -> Vec<Node> {
    (0..count).map(|n| node(&format!("n{n}"), &format!("z{}", n % 3), 4)).collect()
}

fn selector(key: &str, value: &str) -> Selector {
    Selector { requirements: vec![Requirement::equals(key, value)] }
}

/// A pod of the application `app` that requests `millicores` and as many MiB.
fn pod(app: &str, millicores: u64) -> Placement {
    let requests = Requests { millicores, bytes: millicores << 20 };
    Placement {
        namespace: "default".to_owned(),
        labels: vec![("app".to_owned(), app.to_owned())],
        requests,
        scored_requests: requests,
        ..Placement::default()
    }
}

fn spreading(app: &str, millicores: u64) -> Placement {
    Placement { default_spread: Some(selector("app", app)), ..pod(app, millicores) }
}

fn near(app: &str, topology_key: &str) -> PodTerm {
    PodTerm {
        selector: Some(selector("app", app)),
        namespaces: Some(vec!["default".to_owned()]),
        topology_key: topology_key.to_owned(),
    }
}

fn place_all(nodes: &[Node], placement: Placement, pods: usize) -> Vec<u32> {
    let mut scheduler = Scheduler::new(nodes);
    let template = scheduler.add(placement);
    (0..pods).map_while(|_| scheduler.place(template).ok()).map(|node| node.0).collect()
}

#[test]
fn pods_of_a_service_spread_over_the_nodes() {
    assert_eq!(place_all(&nodes(3), spreading("echo", 100), 6), [0, 1, 2, 0, 1, 2]);
}

#[test]
fn best_effort_pods_without_a_service_are_levelled_by_assumed_requests() {
    let mut placement = pod("job", 0);
    placement.scored_requests = Requests { millicores: 100, bytes: 200_000_000 };
    assert_eq!(place_all(&nodes(3), placement, 3), [0, 1, 2]);
}

#[test]
fn the_freer_node_is_taken() {
    let nodes = [node("small", "z", 2), node("large", "z", 16)];
    assert_eq!(place_all(&nodes, pod("web", 500), 4), [1, 1, 1, 1]);
}

#[test]
fn what_fits_nowhere_is_refused_in_the_words_of_kube_scheduler() {
    let mut nodes = nodes(4);
    nodes[0].max_pods = 0;
    nodes[1].allocatable_bytes = GIB;
    nodes[2].taints.push(Taint {
        key: "dedicated".to_owned(),
        value: String::new(),
        effect: TaintEffect::NoSchedule,
    });
    nodes[3].labels[1].1 = "other".to_owned();
    let mut placement = pod("big", 5000);
    placement.node_terms = vec![selector("pool", "general")];
    let mut scheduler = Scheduler::new(&nodes);
    let template = scheduler.add(placement);

    let pending = scheduler.place(template).unwrap_err();

    assert_eq!(
        pending.to_string(),
        "0/4 nodes are available: 1 Insufficient memory, 1 Too many pods, \
         1 node(s) didn't match Pod's node affinity/selector, \
         1 node(s) had untolerated taint(s), 2 Insufficient cpu."
    );
}

#[test]
fn room_runs_out_exactly_when_requests_fill_the_node() {
    assert_eq!(place_all(&nodes(1), pod("web", 1000), 9).len(), 4);
    assert_eq!(place_all(&nodes(1), pod("web", 1001), 9).len(), 3);
}

#[test]
fn a_pod_that_requests_nothing_fits_a_full_node_up_to_its_pod_limit() {
    let mut nodes = nodes(1);
    nodes[0].max_pods = 5;
    let mut scheduler = Scheduler::new(&nodes);
    let full = scheduler.add(pod("full", 4000));
    let free = scheduler.add(pod("free", 0));
    scheduler.place(full).unwrap();
    let placed = (0..9).take_while(|_| scheduler.place(free).is_ok()).count();
    assert_eq!(placed, 4);
}

#[test]
fn released_room_is_used_again() {
    let nodes = nodes(1);
    let mut scheduler = Scheduler::new(&nodes);
    let template = scheduler.add(pod("web", 4000));
    let node = scheduler.place(template).unwrap();
    assert!(scheduler.place(template).is_err());
    scheduler.release(template, node);
    assert_eq!(scheduler.place(template), Ok(node));
}

#[test]
fn a_toleration_opens_a_tainted_node_and_a_preference_against_it_only_weighs() {
    let mut nodes = nodes(2);
    let taint = |effect| Taint { key: "spot".to_owned(), value: String::new(), effect };
    nodes[0].taints.push(taint(TaintEffect::NoSchedule));
    assert_eq!(place_all(&nodes, pod("web", 100), 3), [1, 1, 1]);

    let mut tolerant = pod("web", 100);
    tolerant.tolerations.push(Toleration::of_key("spot"));
    assert_eq!(place_all(&nodes, tolerant, 2), [0, 1]);

    nodes[0].taints[0].effect = TaintEffect::PreferNoSchedule;
    nodes[1].allocatable_millicores = 250;
    assert_eq!(place_all(&nodes, pod("web", 100), 3), [1, 1, 0]);
}

#[test]
fn node_name_binds_past_taints_but_not_past_a_full_node() {
    let mut nodes = nodes(2);
    nodes[1].taints.push(Taint {
        key: "control-plane".to_owned(),
        value: String::new(),
        effect: TaintEffect::NoSchedule,
    });
    let mut bound = pod("static", 3000);
    bound.node_name = Some("n1".to_owned());
    assert_eq!(place_all(&nodes, bound, 2), [1]);
}

#[test]
fn preferred_node_affinity_outweighs_a_little_less_room() {
    let mut nodes = nodes(2);
    nodes[1].labels[1].1 = "gpu".to_owned();
    let mut placement = pod("web", 100);
    placement.preferred_nodes = vec![(1, selector("pool", "gpu"))];
    assert_eq!(place_all(&nodes, placement, 2), [1, 1]);
}

#[test]
fn a_required_spread_keeps_the_skew_and_leaves_the_rest_pending() {
    let mut nodes = nodes(3);
    nodes[2].allocatable_millicores = 0;
    let mut placement = pod("web", 100);
    placement.spread = vec![SpreadConstraint {
        max_skew: 1,
        topology_key: ZONE.to_owned(),
        required: true,
        selector: Some(selector("app", "web")),
        min_domains: None,
    }];
    // The full node's zone stays empty, so no other zone may hold a second pod.
    assert_eq!(place_all(&nodes, placement.clone(), 9), [0, 1]);

    // A node that node affinity rules out is no place to compare with.
    placement.node_terms = vec![Selector {
        requirements: vec![Requirement {
            key: HOSTNAME.to_owned(),
            operator: Operator::NotIn,
            values: vec!["n2".to_owned()],
        }],
    }];
    assert_eq!(place_all(&nodes, placement, 4), [0, 1, 0, 1]);
}

#[test]
fn a_spread_over_fewer_places_than_min_domains_compares_with_none() {
    let mut placement = pod("web", 100);
    placement.spread = vec![SpreadConstraint {
        max_skew: 1,
        topology_key: ZONE.to_owned(),
        required: true,
        selector: Some(selector("app", "web")),
        min_domains: Some(4),
    }];
    assert_eq!(place_all(&nodes(3), placement, 9), [0, 1, 2]);
}

#[test]
fn anti_affinity_leaves_one_pod_to_a_node() {
    let mut placement = pod("db", 100);
    placement.anti_affinity = vec![near("db", HOSTNAME)];
    assert_eq!(place_all(&nodes(3), placement, 9), [0, 1, 2]);
}

#[test]
fn a_running_pods_anti_affinity_holds_against_newcomers() {
    let nodes = nodes(2);
    let mut scheduler = Scheduler::new(&nodes);
    let loner =
        scheduler.add(Placement { anti_affinity: vec![near("web", HOSTNAME)], ..pod("db", 100) });
    let web = scheduler.add(pod("web", 100));
    let taken = scheduler.place(loner).unwrap();
    assert_ne!(scheduler.place(web).unwrap(), taken);
    assert_ne!(scheduler.place(web).unwrap(), taken);
}

#[test]
fn the_first_pod_of_its_kind_may_go_anywhere_and_the_others_follow() {
    let mut placement = pod("cache", 100);
    placement.affinity = vec![near("cache", ZONE)];
    let chosen = place_all(&nodes(6), placement, 4);
    assert_eq!(chosen.len(), 4);
    assert!(chosen.iter().all(|node| node % 3 == chosen[0] % 3), "one zone: {chosen:?}");
}

#[test]
fn affinity_to_a_pod_that_is_nowhere_leaves_pending() {
    let mut placement = pod("web", 100);
    placement.affinity = vec![near("db", ZONE)];
    assert_eq!(place_all(&nodes(3), placement, 1), [0; 0]);
}

#[test]
fn preferred_affinity_draws_pods_together_both_ways() {
    let nodes = nodes(3);
    let wish = vec![(100, near("db", HOSTNAME))];
    let mut scheduler = Scheduler::new(&nodes);
    let other = scheduler.add(pod("other", 100));
    let db = scheduler.add(pod("db", 100));
    let web = scheduler.add(Placement { preferred_pods: wish, ..pod("web", 100) });
    scheduler.place(other).unwrap();
    let home = scheduler.place(db).unwrap();
    assert_eq!(scheduler.place(web).unwrap(), home);
    scheduler.release(db, home);
    assert_eq!(scheduler.place(db).unwrap(), home, "the running pod's wish counts too");
}

#[test]
fn a_daemon_pod_says_whether_its_node_is_wrong_or_full() {
    let mut nodes = nodes(2);
    nodes[0].labels[1].1 = "other".to_owned();
    nodes[1].allocatable_millicores = 50;
    let mut scheduler = Scheduler::new(&nodes);
    let agent = scheduler
        .add(Placement { node_terms: vec![selector("pool", "general")], ..pod("agent", 100) });
    let [wrong, full] = [0, 1].map(|n| scheduler.place_on(agent, NodeId(n)).unwrap_err());
    assert_eq!(wrong, [Reason::NodeAffinity]);
    assert!(wrong[0].is_mismatch());
    assert_eq!(full, [Reason::Cpu]);
    assert!(!full[0].is_mismatch());
}

#[test]
fn of_many_nodes_enough_are_looked_at_in_turn_and_from_all_zones() {
    assert_eq!([3, 99, 100, 1000, 5000, 10_000].map(nodes_to_find), [3, 99, 100, 420, 500, 500]);

    let many: Vec<Node> =
        (0..300).map(|n| node(&format!("n{n}"), &format!("z{}", n / 100), 4)).collect();
    let chosen = place_all(&many, spreading("web", 100), 30);
    let in_zone = |zone: u32| chosen.iter().filter(|&&node| node / 100 == zone).count();
    assert_eq!([0, 1, 2].map(in_zone), [10; 3]);
}

proptest! {
    /// Whatever is asked for, no node is given more than it has.
    #[test]
    fn no_node_is_overbooked(
        cores in prop::collection::vec(1..16u32, 1..6),
        asked in prop::collection::vec(0..3000u64, 1..60),
    ) {
        let nodes: Vec<Node> = cores
            .iter()
            .enumerate()
            .map(|(n, &cores)| node(&format!("n{n}"), "z", cores))
            .collect();
        let mut scheduler = Scheduler::new(&nodes);
        for millicores in asked {
            let template = scheduler.add(spreading("web", millicores));
            let before: Vec<u64> =
                (0..nodes.len()).map(|n| scheduler.requested(NodeId(n as u32)).millicores).collect();
            match scheduler.place(template) {
                Ok(node) => prop_assert!(
                    before[node.index()] + millicores <= nodes[node.index()].allocatable_millicores
                ),
                Err(_) => prop_assert!(
                    nodes.iter().zip(before).all(|(n, b)| b + millicores > n.allocatable_millicores)
                ),
            }
        }
    }
}
