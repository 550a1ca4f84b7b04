//! JSON Schema of our kinds, and of the values that are written as text.

use std::borrow::Cow;
use std::fmt;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde_json::{Value, json};

use super::behavior::CallSpec;
use super::measure::{MeasureSpec, Metric, WithinSpec};
use super::{
    API_VERSION, BehaviorSpec, ClusterSpec, ExperimentSpec, PrecisionSpec, RatePhaseSpec, RateSpec,
    Spec, StepSpec, UrlSpec,
};
use crate::cost::CalibrationSpec;
use crate::units::{Quantity, SimDuration};

/// The JSON Schema (draft 2020-12) of our kinds: one document, a branch for each kind.
pub fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    // Referred to by hand, in the schema of distributions.
    generator.subschema_for::<SimDuration>();
    let kinds = [
        document::<ClusterSpec>(ClusterSpec::KIND, &mut generator),
        document::<BehaviorSpec>(BehaviorSpec::KIND, &mut generator),
        document::<ExperimentSpec>(ExperimentSpec::KIND, &mut generator),
        document::<CalibrationSpec>(CalibrationSpec::KIND, &mut generator),
    ];
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "meshsim's own kinds",
        "oneOf": kinds,
        "$defs": generator.take_definitions(true),
    })
}

fn document<S: JsonSchema>(kind: &str, generator: &mut SchemaGenerator) -> Value {
    json!({
        "type": "object",
        "properties": {
            "apiVersion": {"const": API_VERSION},
            "kind": {"const": kind},
            "metadata": generator.subschema_for::<super::MetadataSpec>(),
            "spec": generator.subschema_for::<S>(),
        },
        "required": ["apiVersion", "kind", "spec"],
        "additionalProperties": false,
    })
}

/// Reading and schema of a type that is written as text with a grammar of its own.
macro_rules! written_as_text {
    ($type:ty, $name:literal, $schema:tt) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(Text::<$type>($name, std::marker::PhantomData))
            }
        }

        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

written_as_text!(UrlSpec, "Url", {
    "description": "A target: `http://echo:8080/echo`, `https://…`, `grpc://…`, `tcp://db:5432`.",
    "type": "string",
    "pattern": "^(http|https|grpc|tcp)://[A-Za-z0-9._-]+(:[0-9]+)?(/[^ #]*)?$",
});
written_as_text!(MeasureSpec, "Measure", {
    "description": "A number with its unit: `1.98ms`, `20%`, `1.25`.",
    "type": ["string", "number"],
    "pattern": "^[-+]?[0-9.]+ ?(us|µs|ms|s|%|cores|MiB|Mi)?$",
});
written_as_text!(WithinSpec, "Within", {
    "description": "A distance: `0.2ms`, or `10%` of the expected value.",
    "type": ["string", "number"],
    "pattern": "^[0-9.]+ ?(us|µs|ms|s|%|cores|MiB|Mi)?$",
});
written_as_text!(PrecisionSpec, "Precision", {
    "description": "When replications are enough: `p50(response_time) within 1%`.",
    "type": "string",
    "pattern": "^[a-z0-9.]+\\([a-z_]+\\) +within +[0-9.]+ ?%$",
});

struct Text<T>(&'static str, std::marker::PhantomData<T>);

impl<T> Visitor<'_> for Text<T>
where
    T: std::str::FromStr<Err: fmt::Display>,
{
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "text: a {}", self.0.to_lowercase())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }
}

impl<'de> Deserialize<'de> for Metric {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(|_| D::Error::unknown_variant(&name, &Self::NAMES))
    }
}

impl JsonSchema for Metric {
    fn schema_name() -> Cow<'static, str> {
        "Metric".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"description": "A metric of `summary.csv`.", "enum": Self::NAMES})
    }
}

impl JsonSchema for SimDuration {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A length of time as Istio writes it: `250ms`, `10s`, `1m30s`.",
            "anyOf": [
                {"type": "string", "pattern": "^([0-9]*\\.?[0-9]+(h|m|s|ms|us|µs|ns))+$"},
                {"const": 0},
            ],
        })
    }
}

impl JsonSchema for Quantity {
    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An amount as Kubernetes writes it: `250m`, `2`, `1.5Gi`.",
            "anyOf": [
                {"type": "string", "pattern": "^[0-9]*\\.?[0-9]+([eE][0-9]+)?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$"},
                {"type": "number", "minimum": 0},
            ],
        })
    }
}

impl JsonSchema for StepSpec {
    fn schema_name() -> Cow<'static, str> {
        "Step".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let call = generator.subschema_for::<CallSpec>();
        json_schema!({
            "description": "A call, or a list of calls made side by side.",
            "anyOf": [call, {"type": "array", "items": call, "minItems": 1}],
        })
    }
}

impl JsonSchema for RateSpec {
    fn schema_name() -> Cow<'static, str> {
        "Rate".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let phase = generator.subschema_for::<RatePhaseSpec>();
        json_schema!({
            "description": "Requests per second: a number, or phases.",
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0},
                {"type": "array", "items": phase, "minItems": 1},
            ],
        })
    }
}
