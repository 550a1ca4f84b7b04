//! How much simulated time claims may take.

use crate::units::SimDuration;

/// How much simulated time claims may take, as a share of what makes every interval narrow enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort(f64);

/// The widest half-width of an interval that may support a claim of theory, as a share of the
/// value, at full effort.
const WIDEST_HALF_WIDTH: f64 = 0.01;

impl Effort {
    /// All of it: half-widths of 1 % and below for theory.
    pub const FULL: Self = Self(1.0);

    /// A tenth of it, for a first look.
    pub const QUICK: Self = Self(0.1);

    /// This share of it, above 0.
    #[cfg(test)]
    pub(super) const fn of(share: f64) -> Self {
        Self(share)
    }

    /// Whole seconds instead of `full` ones, at least 1.
    pub(super) fn seconds(self, full: u64) -> u64 {
        ((full as f64 * self.0).ceil() as u64).max(1)
    }

    /// A length of simulated time instead of `full` seconds, at least 200 ms.
    pub(super) fn length(self, full: u64) -> SimDuration {
        let millis = (full as f64 * 1e3 * self.0).ceil() as u64;
        SimDuration::from_millis(millis.max(200))
    }

    /// Replications instead of `full` ones where runs cannot be shortened, at least 20.
    pub(super) fn replications(self, full: u64) -> u64 {
        ((full as f64 * self.0).ceil() as u64).max(20)
    }

    /// Replications of a measurement. Which connection sits on which worker is drawn once a run,
    /// so that many short runs tell more than a few long ones.
    pub(super) fn replications_of_measurements(self) -> u64 {
        if self.0 < 1.0 { 10 } else { 40 }
    }

    /// The widest half-width that may support a claim of theory: intervals widen with the inverse
    /// square root of the simulated time.
    pub(super) fn widest_half_width(self) -> f64 {
        WIDEST_HALF_WIDTH / self.0.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_of_the_time_allows_three_times_the_width() {
        assert_eq!(Effort::QUICK.seconds(400), 40);
        assert_eq!(Effort::QUICK.seconds(3), 1);
        assert_eq!(Effort::QUICK.length(3), SimDuration::from_millis(300));
        assert_eq!(Effort::QUICK.length(1), SimDuration::from_millis(200));
        assert_eq!(Effort::QUICK.replications(40_000), 4_000);
        assert!((Effort::QUICK.widest_half_width() - 0.0316).abs() < 1e-4);
    }
}
