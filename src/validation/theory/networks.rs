//! Stations in series, and closed loops.

use crate::scenario::Scenario;
use crate::simulation::summary::RunSummary;
use crate::units::SimDuration;
use crate::validation::claim::{Claim, Reference};
use crate::validation::effort::Effort;
use crate::validation::formulas;
use crate::validation::laboratory::{Laboratory, SERVICE, exponential, server};
use crate::workload::{Arrivals, Call, Distribution, Target};

use super::{SERVICES, mean_of, mean_response, rate, response};

/// Users of the closed loops.
const USERS: u32 = 20;

/// Their mean think time.
const THINK_TIME: SimDuration = SimDuration::from_millis(10);

pub(super) fn claims(effort: Effort) -> Vec<Claim> {
    let think = THINK_TIME.as_secs_f64() / SERVICE.as_secs_f64();
    let analysis = "mean value analysis; Reiser and Lavenberg 1980";
    let claim = |text, value, unit, source, ours| {
        Claim::of_theory(Reference::new(text, value, unit, source), ours, effort)
    };
    let mut one = Laboratory::new(4);
    let to_one = one.service("server", 1, server(1, exponential()));
    let one = closed(one, to_one, effort);
    let mut two = Laboratory::new(4);
    let to_two = front_calling_two(&mut two);
    let two = closed(two, to_two, effort);
    vec![
        tandem(effort),
        claim(
            "closed loop: response time of 20 users, think time 10, one server",
            formulas::closed_network_response(&[1.0], think, USERS),
            SERVICES,
            analysis,
            response(&one),
        ),
        claim(
            "closed loop: response time of 20 users, think time 10, two servers in turn",
            formulas::closed_network_response(&[1.0, 1.0], think, USERS),
            SERVICES,
            analysis,
            response(&two),
        ),
        claim(
            "closed loop: throughput × (response + think time) is the number of users",
            f64::from(USERS),
            "users",
            "Little's law, whatever the distributions",
            mean_of(&two, |run| users(run, think)),
        ),
    ]
}

/// L = λ·W over the whole loop, from the run's own throughput and response time.
fn users(run: &RunSummary, think: f64) -> f64 {
    let per_second = run.sources[0].requests as f64 / run.measured_s;
    per_second * SERVICE.as_secs_f64() * (mean_response(run) + think)
}

/// A front that calls two one-worker services in turn.
fn front_calling_two(laboratory: &mut Laboratory) -> Target {
    let first = laboratory.service("first", 1, server(1, exponential()));
    let second = laboratory.service("second", 1, server(1, exponential()));
    let call = |to| vec![Call { to, probability: 1.0, count: 1, request_bytes: 0 }];
    let mut front = server(1_000_000, Distribution::ZERO);
    front.calls = vec![call(first), call(second)];
    laboratory.service("front", 1, front)
}

/// By Burke's theorem the second queue sees Poisson arrivals too.
fn tandem(effort: Effort) -> Claim {
    let mut laboratory = Laboratory::new(4);
    let to = front_calling_two(&mut laboratory);
    let load = laboratory.load(None, to, rate(1, 0.7), Arrivals::Poisson);
    Claim::of_theory(
        Reference::new(
            "M/M/1 twice in series at 0.7: a request that calls two services in turn",
            2.0 * formulas::mmc_response(1, 0.7),
            SERVICES,
            "Burke's theorem; Kleinrock vol. 1, section 4.1",
        ),
        response(&load.measured_for(effort.length(300))),
        effort,
    )
}

fn closed(laboratory: Laboratory, to: Target, effort: Effort) -> Scenario {
    let arrivals = Arrivals::Closed { think_time: THINK_TIME };
    let mut laboratory = laboratory.load(None, to, 0.0, arrivals);
    laboratory.scenario_mut().loads[0].connections = USERS;
    laboratory.measured_for(effort.length(100))
}
