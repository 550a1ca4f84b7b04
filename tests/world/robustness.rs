//! Whatever manifests say, the answer is a model or a list of problems.

use super::*;

/// One of everything that is read.
const EVERYTHING: &str = "\
apiVersion: meshsim/v1
kind: Cluster
metadata: {name: c}
spec:
  kubeProxy: {mode: ipvs}
  nodePools:
    - name: a
      nodes: 2
      zone: eu-west-1a
      cpu: 4
      memory: 16Gi
      maxPods: 20
---
apiVersion: v1
kind: Namespace
metadata:
  name: shop
  labels:
    istio.io/dataplane-mode: ambient
    istio.io/use-waypoint: wp
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 3
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
      annotations:
        sidecar.istio.io/proxyCPULimit: 500m
        proxy.istio.io/config: 'concurrency: 1'
    spec:
      nodeName:
      nodeSelector:
        topology.kubernetes.io/zone: eu-west-1a
      affinity:
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 100
              podAffinityTerm:
                topologyKey: kubernetes.io/hostname
                labelSelector:
                  matchExpressions:
                    - key: app
                      operator: In
                      values: [web]
      tolerations:
        - key: spot
          operator: Exists
          effect: NoSchedule
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              app: web
          minDomains: 1
      containers:
        - name: app
          env:
            - name: PEER
              value: web:80
          ports:
            - name: web
              containerPort: 8080
          resources:
            requests:
              cpu: 100m
              memory: 64Mi
            limits:
              cpu: 2
---
apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: shop
spec:
  clusterIP: None
  selector:
    app: web
  ports:
    - name: http
      port: 80
      targetPort: web
      appProtocol: http
      protocol: TCP
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata:
  name: wp
  namespace: shop
  labels:
    istio.io/waypoint-for: all
spec:
  gatewayClassName: istio-waypoint
  infrastructure:
    parametersRef:
      group: ''
      kind: ConfigMap
      name: changes
  listeners:
    - name: mesh
      port: 15008
      protocol: HBONE
      allowedRoutes:
        namespaces:
          from: All
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: changes
  namespace: shop
data:
  deployment: '{spec: {replicas: 2}}'
---
apiVersion: meshsim/v1
kind: Behavior
metadata:
  name: web
spec:
  selector:
    app: web
  cpuTime: 1ms
  workers: 4
  calls:
    - to: http://web.shop/x
      probability: 0.1
      count: 2
";

/// What somebody may have written instead of a value.
const ODD: [&str; 16] = [
    "",
    "~",
    "-1",
    "0",
    "4294967295",
    "18446744073709551616",
    "1e308",
    ".nan",
    "'0'",
    "maybe",
    "[]",
    "[1, a]",
    "{}",
    "{a: {b: 1}}",
    "\"\\u0000\"",
    "{{ .Values.x }}",
];

fn build_whatever(text: &str) {
    let manifests = load_text("odd.yaml", text);
    for data_plane in [None, Some(DataPlaneSpec::Sidecar), Some(DataPlaneSpec::Ambient)] {
        let waypoint = data_plane.map(|_| WaypointSpec::All);
        match build(&manifests.objects, VariantOverrides { data_plane, waypoint }) {
            Ok(model) => assert_consistent(&model),
            Err(problems) => assert!(problems.has_errors(), "an Err says what is wrong"),
        }
    }
}

/// Every id leads somewhere, and lists that belong together have one length.
fn assert_consistent(model: &Model) {
    let pods = model.pods.len();
    assert_eq!((model.enrolments.len(), model.waypoint_of_pod.len()), (pods, pods));
    assert_eq!(model.placements.len(), model.workloads.len());
    assert_eq!(model.waypoint_of_service.len(), model.services.len());
    assert_eq!(model.ingress_use_waypoint.len(), model.services.len());
    assert!(model.pods.iter().all(|pod| pod.node.index() < model.nodes.len()));
    assert!(model.workloads.iter().all(|w| w.behavior < model.behaviors.len()));
    for (index, workload) in model.workloads.iter().enumerate() {
        let is_its_own = |pod: &PodId| model.pods[pod.index()].workload.index() == index;
        assert!(workload.pods.iter().all(is_its_own));
    }
    let endpoints = model.services.iter().flat_map(|service| &service.endpoints);
    assert!(endpoints.copied().all(|pod| pod.index() < pods));
    let bound = model.waypoint_of_service.iter().chain(&model.waypoint_of_pod).flatten();
    assert!(bound.copied().all(|waypoint| waypoint < model.waypoints.len()));
    for waypoint in &model.waypoints {
        assert_eq!(model.workloads[waypoint.workload.index()].role, Role::Waypoint);
    }
}

#[test]
fn the_manifest_that_is_spoilt_below_is_sound() {
    let model = model(EVERYTHING);
    assert_eq!(warnings(&model), [""; 0]);
    assert_eq!((model.pods.len(), model.waypoints.len()), (5, 1));
    assert_consistent(&model);
}

#[test]
fn any_value_may_be_anything() {
    let lines: Vec<&str> = EVERYTHING.lines().collect();
    for (number, line) in lines.iter().enumerate() {
        let Some((key, _)) = line.split_once(": ").or_else(|| Some((line.strip_suffix(':')?, "")))
        else {
            continue;
        };
        for odd in ODD {
            let mut spoilt: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            spoilt[number] = format!("{key}: {odd}");
            build_whatever(&spoilt.join("\n"));
        }
    }
}

#[test]
fn any_line_may_be_missing() {
    let lines: Vec<&str> = EVERYTHING.lines().collect();
    for missing in 0..lines.len() {
        let mut rest = lines.clone();
        rest.remove(missing);
        build_whatever(&rest.join("\n"));
    }
}

#[test]
fn more_pods_than_kubernetes_takes_are_a_slip() {
    let shown = problems(&deployment("a", "web", 4_000_000_000, "")).to_string();
    assert!(shown.contains("is 4000000000, but must be a smaller number"), "{shown}");
}
