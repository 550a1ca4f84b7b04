//! Estimators; they know no pod.
//!
//! | question | answer |
//! |---|---|
//! | how long did requests take? | [`ResponseTimes`] |
//! | how did it change over time? | [`Windows`], [`WindowedGauge`] |
//! | how busy, how many on average? | [`TimeAverage`], [`Flow`] (Little's law) |
//! | how sure are we? | [`mean_interval`], [`quantile_interval`], [`batch_means`] |
//! | how many replications? | [`StoppingRule`] |
//! | which variant is better? | [`paired_difference`], [`variance_ratio`], [`holm`] |
//! | where does the warm-up end? | [`mser5`], [`welch`], [`warm_up()`] |

mod comparison;
mod confidence;
mod histogram;
mod stopping;
mod time_average;
mod time_series;
mod warm_up;

pub use comparison::{holm, paired_difference, paired_p_value, variance_ratio};
pub use confidence::{
    ConfidenceLevel, Interval, batch_means, lag_one_autocorrelation, mean_interval,
    quantile_interval,
};
pub use histogram::ResponseTimes;
pub use stopping::{Decision, StoppingRule};
pub use time_average::{Flow, TimeAverage};
pub use time_series::{WindowedGauge, Windows};
pub use warm_up::{NoSteadyState, WarmUp, mser5, warm_up, welch};
