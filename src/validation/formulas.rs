//! The textbook, in the symbols it uses: arrival rate λ, service rate µ, utilization ρ.
//!
//! Sources: L. Kleinrock, "Queueing Systems", vol. 1, Wiley 1975; M. Mitzenmacher, "The Power of
//! Two Choices in Randomized Load Balancing", IEEE TPDS 12(10), 2001; M. Reiser and
//! S. Lavenberg, "Mean-Value Analysis of Closed Multichain Queuing Networks", JACM 27(2), 1980.

/// Chance that an arrival finds all of `servers` busy and is lost: Erlang's B.
///
/// B(0) = 1, B(c) = a·B(c−1) / (c + a·B(c−1)), with the offered load `a = λ/µ` in erlangs.
pub fn erlang_b(servers: u32, offered_erlangs: f64) -> f64 {
    (1..=servers).fold(1.0, |blocking, server| {
        let carried = offered_erlangs * blocking;
        carried / (f64::from(server) + carried)
    })
}

/// Chance that an arrival has to wait for one of `servers`: Erlang's C.
///
/// C = B / (1 − ρ(1 − B)), for ρ below 1.
pub fn erlang_c(servers: u32, offered_erlangs: f64) -> f64 {
    let blocking = erlang_b(servers, offered_erlangs);
    let utilization = offered_erlangs / f64::from(servers);
    blocking / (1.0 - utilization * (1.0 - blocking))
}

/// Mean response time of M/M/c in mean service times: 1 + C / (c(1 − ρ)).
pub fn mmc_response(servers: u32, utilization: f64) -> f64 {
    let count = f64::from(servers);
    1.0 + erlang_c(servers, utilization * count) / (count * (1.0 - utilization))
}

/// Mean response time of M/G/1 in mean service times, by Pollaczek and Khinchine:
/// 1 + ρ(1 + cv²) / (2(1 − ρ)).
pub fn mg1_response(utilization: f64, cv: f64) -> f64 {
    1.0 + utilization * (1.0 + cv * cv) / (2.0 * (1.0 - utilization))
}

/// Mean response time under processor sharing in mean service times, whatever the service
/// distribution: 1 / (1 − ρ).
pub fn processor_sharing_response(utilization: f64) -> f64 {
    1.0 / (1.0 - utilization)
}

/// Mean response time where each arrival joins the shorter of two of very many single-server
/// queues, in mean service times: Σ ρ^(2^k − 2) over k from 1.
pub fn two_choices_response(utilization: f64) -> f64 {
    (1..=40).map(|k| utilization.powf(2f64.powi(k) - 2.0)).sum()
}

/// Mean response time of a closed network in the unit of the demands, by mean value analysis.
///
/// `demands` are the mean service demands at single-server stations, `think` the mean think time,
/// `users` the population. R_k = D_k(1 + Q_k(n−1)); X = n / (Z + ΣR); Q_k = X·R_k.
pub fn closed_network_response(demands: &[f64], think: f64, users: u32) -> f64 {
    let mut queues = vec![0.0; demands.len()];
    let mut response = 0.0;
    for population in 1..=users {
        let residence: Vec<f64> = demands.iter().zip(&queues).map(|(d, q)| d * (1.0 + q)).collect();
        response = residence.iter().sum();
        let throughput = f64::from(population) / (think + response);
        queues = residence.iter().map(|time| throughput * time).collect();
    }
    response
}

/// Expected share of `boxes` left empty by `balls` thrown at random: (1 − 1/n)^m.
pub fn empty_share(boxes: u32, balls: u32) -> f64 {
    (1.0 - 1.0 / f64::from(boxes)).powi(balls as i32)
}

/// Mean number in M/M/c/K with `capacity` K (waiting and in service, at least `servers`), and the
/// chance p_K that an arrival is lost, with the offered load `a = λ/µ` in erlangs.
///
/// p_n = p_0·aⁿ/n! up to n = c, and a/c times the one before beyond; L = Σ n·p_n.
pub fn mmck(servers: u32, offered_erlangs: f64, capacity: u32) -> (f64, f64) {
    let (mut weight, mut total, mut mean) = (1.0, 1.0, 0.0);
    for inside in 1..=capacity {
        weight *= offered_erlangs / f64::from(inside.min(servers));
        total += weight;
        mean += f64::from(inside) * weight;
    }
    (mean / total, weight / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(ours: f64, known: f64) {
        assert!((ours - known).abs() < 1e-4 * known.max(1.0), "{ours} instead of {known}");
    }

    /// Printed values of Erlang tables.
    #[test]
    fn erlang_formulas_meet_the_tables() {
        assert_near(erlang_b(1, 1.0), 0.5);
        assert_near(erlang_b(5, 3.0), 0.110_05);
        assert_near(erlang_c(5, 3.0), 0.236_15);
    }

    #[test]
    fn one_server_is_the_same_by_every_formula() {
        for utilization in [0.3, 0.8] {
            let mm1 = 1.0 / (1.0 - utilization);
            assert_near(mmc_response(1, utilization), mm1);
            assert_near(mg1_response(utilization, 1.0), mm1);
            // Many users who think long are Poisson arrivals but for a share of one over their number.
            let users = 100_000;
            let think = f64::from(users) / utilization - mm1;
            let closed = closed_network_response(&[1.0], think, users);
            assert!((closed / mm1 - 1.0).abs() < 1e-3, "{closed} instead of {mm1}");
        }
    }

    #[test]
    fn two_choices_shorten_the_queue_exponentially() {
        assert_near(two_choices_response(0.0), 1.0);
        assert!(two_choices_response(0.99) < 6.0, "one choice gives 100");
    }

    #[test]
    fn a_queue_with_no_room_is_erlang_b_and_with_much_room_it_loses_nothing() {
        assert_near(mmck(5, 3.0, 5).1, erlang_b(5, 3.0));
        let (number, loss) = mmck(2, 1.6, 500);
        assert_near(number, 1.6 * mmc_response(2, 0.8));
        assert_near(loss, 0.0);
    }

    /// p_n = (1 − ρ)ρⁿ / (1 − ρ^(K+1)): with ρ = 1/2 and K = 3 the weights are 8, 4, 2, 1 of 15.
    #[test]
    fn one_server_with_room_for_two_more_is_counted_by_hand() {
        let (number, loss) = mmck(1, 0.5, 3);
        assert_near(number, (4.0 + 2.0 * 2.0 + 3.0) / 15.0);
        assert_near(loss, 1.0 / 15.0);
    }
}
