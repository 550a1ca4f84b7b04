//! meshsim predicts what a Kubernetes service mesh will do before it runs.
//!
//! A discrete-event simulator of pods, nodes, kube-proxy, sidecar Envoys,
//! ztunnels, waypoints, gateways and istiod. Latency, CPU and errors emerge from
//! connections, workers, queues and wake-ups; nothing draws "the sidecar's latency"
//! from a table.
//!
//! The layers, each importing only what stands below it (`tests/architecture.rs`
//! holds the table):
//!
//! ```text
//!  cli
//!   └─────┬──────────────┐
//!     experiment       report         sees plain data only: results, and
//!      └────┬──────┐                  the path table of `mesh`
//!      simulation  import
//!   engine ◄┴──┬────┘
//!           scenario
//!      ┌───────┴─┬────────┐
//!     mesh    workload    │
//!      ├─────────┤        │
//!     cost    cluster   stats
//!      └────┬────┘        │
//!         policy          │
//!           └──────┬──────┘
//!                units
//! ```

pub mod cli;
pub mod cluster;
pub mod cost;
pub mod engine;
pub mod experiment;
pub mod import;
pub mod mesh;
pub mod policy;
pub mod report;
pub mod scenario;
pub mod simulation;
pub mod stats;
pub mod units;
pub mod validation;
pub mod workload;
