//! From numbers to pixels, and round numbers for ticks.

use crate::report::format::with_decimals;

/// Maps an interval of numbers to one of pixels, evenly or by logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    domain: (f64, f64),
    pixels: (f64, f64),
    logarithmic: bool,
}

/// A number marked on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) label: String,
}

impl Scale {
    /// Even, from exactly `domain.0` to `domain.1`.
    pub(super) fn linear(domain: (f64, f64), pixels: (f64, f64)) -> Self {
        Self { domain, pixels, logarithmic: false }
    }

    /// Even, from zero (or a round number below all `values`) to a round number above them.
    pub(super) fn from_zero(values: impl Iterator<Item = f64>, pixels: (f64, f64)) -> Self {
        let (low, high) = values
            .fold((0.0, 0.0), |(low, high): (f64, f64), value| (low.min(value), high.max(value)));
        // Marks need room: nothing touches the border.
        let (low, high) =
            if low < high { (low * HEADROOM, high * HEADROOM) } else { (low, low + 1.0) };
        let step = round_step(high - low, 5);
        Self::linear(((low / step).floor() * step, (high / step).ceil() * step), pixels)
    }

    /// [`Scale::from_zero`], unless the values are positive and span more than a factor of
    /// 40: then by logarithm between two of 1, 2, 5, 10, …
    pub(super) fn fitting(values: impl Iterator<Item = f64>, pixels: (f64, f64)) -> Self {
        let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(0.0, f64::max);
        if low <= 0.0 || high < 40.0 * low || values.is_empty() {
            return Self::from_zero(values.into_iter(), pixels);
        }
        Self { domain: (round_below(low), round_above(high)), pixels, logarithmic: true }
    }

    /// From the lowest to the highest of `values`, by logarithm if they are positive and span
    /// a factor of 8 or more: doubled values then stand evenly apart.
    pub(super) fn between(values: impl Iterator<Item = f64>, pixels: (f64, f64)) -> Self {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        Self { domain: (low, high), pixels, logarithmic: low > 0.0 && high >= 8.0 * low }
    }

    /// Where `value` stands, held inside the axis.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = (self.warp(value) - self.warp(self.domain.0))
            / (self.warp(self.domain.1) - self.warp(self.domain.0));
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        self.pixels.0 + share * (self.pixels.1 - self.pixels.0)
    }

    fn warp(&self, value: f64) -> f64 {
        if self.logarithmic { value.max(f64::MIN_POSITIVE).log10() } else { value }
    }

    /// Round numbers along the axis, about `count` of them.
    pub(super) fn ticks(&self, count: usize) -> Vec<Tick> {
        if self.logarithmic { self.powers() } else { self.steps(count) }
    }

    fn steps(&self, count: usize) -> Vec<Tick> {
        let step = round_step(self.domain.1 - self.domain.0, count);
        let first = (self.domain.0 / step - 1e-9).ceil() as i64;
        let last = (self.domain.1 / step + 1e-9).floor() as i64;
        let tick = |index: i64| {
            let value = index as f64 * step;
            Tick { value, label: with_decimals(value, decimals(step)) }
        };
        (first..=last).map(tick).collect()
    }

    /// 1, 2, 5, 10, … over few decades, powers of ten over many.
    fn powers(&self) -> Vec<Tick> {
        let exponents = self.domain.0.log10().floor() as i32..=self.domain.1.log10().ceil() as i32;
        let factors: &[f64] = if exponents.clone().count() <= 4 { &ROUND } else { &ROUND[..1] };
        let values = exponents
            .flat_map(|exponent| factors.iter().map(move |factor| factor * 10_f64.powi(exponent)));
        let inside = self.domain.0 * 0.999..=self.domain.1 * 1.001;
        values
            .filter(|value| inside.contains(value))
            .map(|value| Tick { value, label: with_decimals(value, decimals(value)) })
            .collect()
    }
}

const HEADROOM: f64 = 1.03;

const ROUND: [f64; 3] = [1.0, 2.0, 5.0];

/// The largest of 1, 2, 5, 10, … that is not above `value`.
fn round_below(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    ROUND.iter().rev().map(|factor| factor * power).find(|round| *round <= value).unwrap_or(power)
}

/// The smallest of 1, 2, 5, 10, … that is not below `value`.
fn round_above(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let round = ROUND.iter().map(|factor| factor * power).find(|round| *round >= value);
    round.unwrap_or(10.0 * power)
}

/// The smallest of 1, 2, 2.5 and 5 times a power of ten that divides `span` into at most
/// `count` steps.
fn round_step(span: f64, count: usize) -> f64 {
    let rough = (span / count.max(1) as f64).max(1e-12);
    let power = 10_f64.powf(rough.log10().floor());
    let factors = [1.0, 2.0, 2.5, 5.0, 10.0];
    let fits = factors.into_iter().find(|factor| factor * power >= rough * (1.0 - 1e-9));
    fits.unwrap_or(10.0) * power
}

/// Decimal places that tell multiples of `step` apart.
fn decimals(step: f64) -> usize {
    (0..9)
        .find(|places| {
            let scaled = step * 10_f64.powi(*places);
            (scaled - scaled.round()).abs() < 1e-6 * scaled
        })
        .unwrap_or(9) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, count: usize) -> Vec<String> {
        scale.ticks(count).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_and_show_only_the_decimals_they_need() {
        let scale = Scale::from_zero([2.3].into_iter(), (0.0, 100.0));
        assert_eq!(labels(scale, 5), ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5"]);
        let scale = Scale::from_zero([12_345.0].into_iter(), (0.0, 100.0));
        assert_eq!(labels(scale, 5), ["0", "5,000", "10,000", "15,000"]);
        let scale = Scale::from_zero([-0.3, 0.35].into_iter(), (0.0, 100.0));
        assert_eq!(labels(scale, 5), ["−0.4", "−0.2", "0.0", "0.2", "0.4"]);
    }

    #[test]
    fn nothing_at_all_still_makes_an_axis() {
        for scale in [
            Scale::from_zero([].into_iter(), (0.0, 100.0)),
            Scale::from_zero([0.0, 0.0].into_iter(), (0.0, 100.0)),
            Scale::fitting([f64::NAN].into_iter(), (0.0, 100.0)),
        ] {
            assert!(labels(scale, 5).len() > 1);
            assert_eq!(scale.at(0.0).to_bits(), 0.0_f64.to_bits());
        }
    }

    #[test]
    fn wide_ranges_are_shown_by_logarithm() {
        let scale = Scale::fitting([0.8, 30.0, 950.0].into_iter(), (0.0, 400.0));
        assert_eq!(labels(scale, 5), ["1", "10", "100", "1,000"]);
        let scale = Scale::fitting([0.8, 33.0].into_iter(), (0.0, 400.0));
        assert_eq!(labels(scale, 5), ["0.5", "1", "2", "5", "10", "20", "50"]);
        assert!((scale.at(5.0) - 200.0).abs() < 1e-9);
        assert!((scale.at(1e9) - 400.0).abs() < 1e-9, "what is beyond stays on the border");
    }
}
