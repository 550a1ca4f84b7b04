//! Published measurements, simulated under their conditions: predictions, good or bad.

mod istio;
mod kube_proxy;
mod memory;
mod network;
mod raw_runs;

use super::suite::Suite;

/// Every published measurement.
pub(super) fn suites() -> Vec<Suite> {
    let mut suites = istio::suites();
    suites.extend(raw_runs::suites());
    suites.extend([kube_proxy::suite(), network::suite(), memory::suite()]);
    suites
}
