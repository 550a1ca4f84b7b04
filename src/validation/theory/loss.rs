//! Bounded queues: what is lost, and how long the rest takes.

use crate::scenario::Scenario;
use crate::simulation::summary::RunSummary;
use crate::units::SimDuration;
use crate::validation::claim::{Claim, Reference};
use crate::validation::effort::Effort;
use crate::validation::formulas;
use crate::validation::laboratory::{exponential, server};

use super::{SERVICES, mean_of, mean_response, open_queue, rate};

pub(super) fn claims(effort: Effort) -> Vec<Claim> {
    let erlang = bounded(5, 0, 0.8, effort.length(60));
    let bounded = bounded(2, 4, 0.9, effort.length(150));
    let (number, loss) = formulas::mmck(2, 1.8, 6);
    // Little's law on those let in: W = L / (λ(1 − p_K)), with λ = 1.8 per service time.
    let response = number / (1.8 * (1.0 - loss));
    let shares = "share of requests";
    vec![
        Claim::of_theory(
            Reference::new(
                "M/M/5/5 at 0.8: share refused by an application with five workers and no queue",
                formulas::erlang_b(5, 4.0),
                shares,
                "Erlang B; Kleinrock vol. 1, section 3.6",
            ),
            mean_of(&erlang, refused),
            effort,
        ),
        Claim::of_theory(
            Reference::new(
                "M/M/2/6 at 0.9: share refused with two workers and room for four to wait",
                loss,
                shares,
                "birth and death; Kleinrock vol. 1, section 3.6",
            ),
            mean_of(&bounded, refused),
            effort,
        ),
        Claim::of_theory(
            Reference::new(
                "M/M/2/6 at 0.9: response time of the others",
                response,
                SERVICES,
                "birth and death, Little's law",
            ),
            mean_of(&bounded, response_of_served),
            effort,
        ),
    ]
}

fn bounded(workers: u32, queue_limit: u32, utilization: f64, length: SimDuration) -> Scenario {
    let mut behavior = server(workers, exponential());
    behavior.queue_limit = Some(queue_limit);
    open_queue(4, behavior, rate(workers, utilization), length)
}

fn refused(run: &RunSummary) -> f64 {
    run.sources[0].failed_requests as f64 / run.sources[0].requests as f64
}

/// A refusal takes no time here, so the mean over all is that over the served and zeros.
fn response_of_served(run: &RunSummary) -> f64 {
    mean_response(run) / (1.0 - refused(run))
}
