//! How often a run is repeated, and when it is enough.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::check::Check;
use super::super::measure::{InvalidMeasure, Metric, Statistic};

/// More replications than this are taken for a slip.
const MOST: u32 = 10_000;

/// How often each run is repeated.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ReplicationsSpec {
    /// At least so often.
    #[schemars(range(min = 1, max = 10_000))]
    pub min: u32,
    /// At most so often; 200 with `until`, else `min`.
    #[schemars(range(min = 1, max = 10_000))]
    pub max: Option<u32>,
    /// Precision that ends it between `min` and `max`: `p50(response_time) within 1%`.
    pub until: Option<PrecisionSpec>,
}

impl Default for ReplicationsSpec {
    fn default() -> Self {
        Self { min: 10, max: None, until: None }
    }
}

impl ReplicationsSpec {
    /// At most so many replications.
    pub fn most(&self) -> u32 {
        let unsaid = if self.until.is_some() { self.min.max(200) } else { self.min };
        self.max.unwrap_or(unsaid)
    }

    pub(super) fn check(&self, check: &mut Check<'_>) {
        check.require_between(self.min, "min", 1, MOST);
        if let Some(max) = self.max {
            check.require_between(max, "max", 1, MOST);
            check.require(max >= self.min, "max", max, format_args!("at least min ({})", self.min));
        }
        if let Some(until) = &self.until {
            let holds = until.within > 0.0 && until.within < 1.0;
            check.require(holds, "until", until, "a precision above 0% and below 100%");
            let exists = until.statistic.exists_for(until.metric);
            let rule = format!("the mean: {} has no other number", until.metric);
            check.require(exists, "until", until, rule);
            let sentence = "must be at least 2 with `until`: one run says nothing about precision";
            check.require_that(self.min >= 2, "min", sentence);
        } else {
            let holds = self.max.is_none_or(|max| max <= self.min);
            check.require_that(
                holds,
                "max",
                "needs `until`: nothing else ends the replications earlier",
            );
        }
    }
}

/// The half-width of the 95 % confidence interval of a statistic, relative to its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrecisionSpec {
    /// Of which number.
    pub statistic: Statistic,
    /// Of which metric.
    pub metric: Metric,
    /// Largest half-width as a share of the value, 0 to 1.
    pub within: f64,
}

impl FromStr for PrecisionSpec {
    type Err = InvalidMeasure;

    fn from_str(text: &str) -> Result<Self, InvalidMeasure> {
        parse(text)
            .ok_or_else(|| InvalidMeasure::new("must be written as `p50(response_time) within 1%`"))
    }
}

fn parse(text: &str) -> Option<PrecisionSpec> {
    let (statistic, rest) = text.split_once('(')?;
    let (metric, rest) = rest.split_once(')')?;
    let percent = rest.trim().strip_prefix("within")?.trim().strip_suffix('%')?;
    let percent: f64 = percent.trim().parse().ok()?;
    Some(PrecisionSpec {
        statistic: statistic.trim().parse().ok()?,
        metric: metric.trim().parse().ok()?,
        within: percent / 100.0,
    })
}

impl fmt::Display for PrecisionSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({}) within {}%", self.statistic, self.metric, self.within * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_precision_names_statistic_metric_and_share() {
        let precision: PrecisionSpec = "p99.9( response_time )  within 0.5 %".parse().unwrap();
        assert_eq!(precision.to_string(), "p99.9(response_time) within 0.5%");
        for text in
            ["", "p50", "p50(x) within 1%", "p50(goodput) within 1", "avg(goodput) within 1%"]
        {
            assert!(text.parse::<PrecisionSpec>().is_err(), "{text}");
        }
    }
}
