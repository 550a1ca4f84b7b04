//! The one vocabulary of lengths of time that vary: `3ms`, `{lognormal: {p50: 2ms, p99: 12ms}}`.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use super::check::Check;
use crate::scenario::problem::Problems;
use crate::units::SimDuration;
use crate::workload::Distribution;

/// Sources of [`DistributionSpec::Empirical`]: the lengths in the file of this name, or why there are none.
pub type ReadLengths<'a> = dyn FnMut(&str) -> Result<Arc<[SimDuration]>, String> + 'a;

/// A length of time that may vary, as written. A bare duration is constant.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", remote = "Self")]
#[schemars(transform = or_duration)]
pub enum DistributionSpec {
    /// Always the same.
    Constant(SimDuration),
    /// Every length between two bounds is as likely as any other.
    Uniform(UniformSpec),
    /// Without memory: how long it has lasted says nothing about how long it will.
    Exponential(ExponentialSpec),
    /// The logarithm is normally distributed: the usual shape of service times.
    Lognormal(LognormalSpec),
    /// A sum of exponential parts; between exponential and constant for `cv` below 1.
    Gamma(GammaSpec),
    /// Heavier than exponential for `shape` below 1, lighter above.
    Weibull(WeibullSpec),
    /// Measured lengths, one duration a line, each as likely as the next.
    Empirical(EmpiricalSpec),
    /// One of several, by weight.
    Mixture(Vec<MixturePartSpec>),
}

/// Uniform between two bounds.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UniformSpec {
    /// Shortest.
    pub min: SimDuration,
    /// Longest; at least `min`.
    pub max: SimDuration,
}

/// Exponential.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExponentialSpec {
    /// Mean, above zero.
    pub mean: SimDuration,
}

/// Lognormal, by two percentiles that monitoring shows.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LognormalSpec {
    /// Median, above zero.
    pub p50: SimDuration,
    /// 99th percentile, above `p50`.
    pub p99: SimDuration,
}

/// Gamma.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GammaSpec {
    /// Mean, above zero.
    pub mean: SimDuration,
    /// Coefficient of variation: standard deviation over mean, 0.01 to 100.
    pub cv: f64,
}

/// Weibull.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeibullSpec {
    /// Scale, above zero: 63 % are shorter.
    pub scale: SimDuration,
    /// Shape, 0.1 to 100.
    pub shape: f64,
}

/// Measured lengths.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmpiricalSpec {
    /// The file, relative to the one that names it.
    pub file: String,
}

/// One part of a mixture: `{weight: 0.9, constant: 1ms}`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "Part")]
#[schemars(with = "Part")]
pub struct MixturePartSpec {
    /// Its weight, relative to the others'. Above zero.
    pub weight: f64,
    /// What it is.
    pub of: DistributionSpec,
}

/// A part as written: the weight beside the one key that names the distribution.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Part {
    /// Its weight, relative to the others'.
    weight: f64,
    constant: Option<SimDuration>,
    uniform: Option<UniformSpec>,
    exponential: Option<ExponentialSpec>,
    lognormal: Option<LognormalSpec>,
    gamma: Option<GammaSpec>,
    weibull: Option<WeibullSpec>,
    empirical: Option<EmpiricalSpec>,
    mixture: Option<Vec<MixturePartSpec>>,
}

const ONE_EACH: &str = "must name exactly one distribution beside its weight";

impl TryFrom<Part> for MixturePartSpec {
    type Error = &'static str;

    fn try_from(part: Part) -> Result<Self, Self::Error> {
        let named = [
            part.constant.map(DistributionSpec::Constant),
            part.uniform.map(DistributionSpec::Uniform),
            part.exponential.map(DistributionSpec::Exponential),
            part.lognormal.map(DistributionSpec::Lognormal),
            part.gamma.map(DistributionSpec::Gamma),
            part.weibull.map(DistributionSpec::Weibull),
            part.empirical.map(DistributionSpec::Empirical),
            part.mixture.map(DistributionSpec::Mixture),
        ];
        let mut named = named.into_iter().flatten();
        match (named.next(), named.next()) {
            (Some(of), None) => Ok(Self { weight: part.weight, of }),
            _ => Err(ONE_EACH),
        }
    }
}

/// The schema of [`DistributionSpec`] with the bare duration that its reader also takes.
fn or_duration(schema: &mut schemars::Schema) {
    let named = std::mem::take(schema);
    let duration = serde_json::json!({"$ref": "#/$defs/Duration"});
    let mut either = schemars::json_schema!({"anyOf": [duration, named]});
    std::mem::swap(schema, &mut either);
}

impl<'de> Deserialize<'de> for DistributionSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DurationOrNamed)
    }
}

struct DurationOrNamed;

impl<'de> Visitor<'de> for DurationOrNamed {
    type Value = DistributionSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a duration such as `3ms`, or a distribution such as `{lognormal: {p50: 2ms, p99: 12ms}}`",
        )
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<DistributionSpec, E> {
        let invalid = |_| E::invalid_value(serde::de::Unexpected::Str(text), &self);
        text.parse().map(DistributionSpec::Constant).map_err(invalid)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<DistributionSpec, E> {
        match number {
            0 => Ok(DistributionSpec::Constant(SimDuration::ZERO)),
            _ => Err(E::invalid_type(serde::de::Unexpected::Unsigned(number), &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<DistributionSpec, A::Error> {
        let distribution = DistributionSpec::deserialize(MapAccessDeserializer::new(&mut map))?;
        match map.next_key::<String>()? {
            None => Ok(distribution),
            Some(_) => Err(A::Error::custom("must name exactly one distribution")),
        }
    }
}

/// Longer than this is taken for a slip.
const LONGEST: SimDuration = SimDuration::from_secs(24 * 3600);

impl DistributionSpec {
    pub(super) fn check(&self, path: &str, problems: &mut Problems) {
        let mut check = Check::new(path, problems);
        match self {
            Self::Constant(length) => require_short(&mut check, *length, ""),
            Self::Uniform(uniform) => {
                let UniformSpec { min, max } = uniform;
                let rule = format!("at least min ({min})");
                check.require(min <= max, "uniform.max", max, rule);
                require_short(&mut check, *max, "uniform.max");
            }
            Self::Exponential(exponential) => {
                require_positive(&mut check, exponential.mean, "exponential.mean");
            }
            Self::Lognormal(LognormalSpec { p50, p99 }) => {
                require_positive(&mut check, *p50, "lognormal.p50");
                let rule = format!("above p50 ({p50})");
                check.require(p50 < p99, "lognormal.p99", p99, rule);
                require_short(&mut check, *p99, "lognormal.p99");
            }
            Self::Gamma(gamma) => {
                require_positive(&mut check, gamma.mean, "gamma.mean");
                check.require_between(gamma.cv, "gamma.cv", 0.01, 100.0);
            }
            Self::Weibull(weibull) => {
                require_positive(&mut check, weibull.scale, "weibull.scale");
                check.require_between(weibull.shape, "weibull.shape", 0.1, 100.0);
            }
            Self::Empirical(empirical) => {
                let sentence = "must name a file of durations";
                check.require_that(!empirical.file.is_empty(), "empirical.file", sentence);
            }
            Self::Mixture(parts) => check_mixture(parts, path, problems),
        }
    }

    /// The distribution, its measured lengths taken from `read`; `None` after adding a problem.
    ///
    /// Call it on what [`super::Spec::check`] has found nothing wrong with.
    pub fn resolve(
        &self,
        path: &str,
        read: &mut ReadLengths<'_>,
        problems: &mut Problems,
    ) -> Option<Distribution> {
        match self {
            Self::Constant(length) => Some(Distribution::Constant(*length)),
            Self::Uniform(UniformSpec { min, max }) => {
                Some(Distribution::Uniform { min: min.as_secs_f64(), max: max.as_secs_f64() })
            }
            Self::Exponential(ExponentialSpec { mean }) => {
                Some(Distribution::Exponential { mean: mean.as_secs_f64() })
            }
            Self::Lognormal(LognormalSpec { p50, p99 }) => {
                Some(Distribution::lognormal_p50_p99(p50.as_secs_f64(), p99.as_secs_f64()))
            }
            Self::Gamma(GammaSpec { mean, cv }) => Distribution::gamma(mean.as_secs_f64(), *cv),
            Self::Weibull(WeibullSpec { scale, shape }) => {
                Distribution::weibull(scale.as_secs_f64(), *shape)
            }
            Self::Empirical(EmpiricalSpec { file }) => match read(file) {
                Ok(lengths) if !lengths.is_empty() => Some(Distribution::Empirical(lengths)),
                Ok(_) => refuse(path, file, "a file with at least one duration", problems),
                Err(reason) => refuse(path, file, &format!("readable ({reason})"), problems),
            },
            Self::Mixture(parts) => resolve_mixture(parts, path, read, problems),
        }
    }
}

fn refuse(path: &str, file: &str, rule: &str, problems: &mut Problems) -> Option<Distribution> {
    problems.add(format!("{path}.empirical.file"), format!("`{file}`"), rule);
    None
}

fn resolve_mixture(
    parts: &[MixturePartSpec],
    path: &str,
    read: &mut ReadLengths<'_>,
    problems: &mut Problems,
) -> Option<Distribution> {
    let mut resolved = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let of = part.of.resolve(&format!("{path}.mixture[{index}]"), read, problems)?;
        resolved.push((part.weight, of));
    }
    Some(Distribution::Mixture(resolved.into()))
}

fn check_mixture(parts: &[MixturePartSpec], path: &str, problems: &mut Problems) {
    let mut check = Check::new(path, problems);
    check.require_that(!parts.is_empty(), "mixture", "must have at least one part");
    for (index, part) in parts.iter().enumerate() {
        let field = format!("mixture[{index}].weight");
        let holds = part.weight > 0.0 && part.weight.is_finite();
        check.require(holds, &field, part.weight, "above 0");
    }
    for (index, part) in parts.iter().enumerate() {
        let part_path = format!("{path}.mixture[{index}]");
        // A constant part has a key of its own where a bare duration has none.
        match &part.of {
            DistributionSpec::Constant(length) => {
                require_short(&mut Check::new(part_path, problems), *length, "constant");
            }
            of => of.check(&part_path, problems),
        }
    }
}

fn require_positive(check: &mut Check<'_>, length: SimDuration, field: &str) {
    check.require(!length.is_zero(), field, length, "above zero");
    require_short(check, length, field);
}

fn require_short(check: &mut Check<'_>, length: SimDuration, field: &str) {
    check.require(length <= LONGEST, field, length, "at most 24h");
}
