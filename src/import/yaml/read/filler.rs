//! Stand-ins for missing fields.
//!
//! Serde names one missing field and stops. With a stand-in for it the same value can be read
//! once more, which brings the next missing field to light. No stand-in is ever handed out: what
//! holds one is hidden before the value is returned.

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::Id;
use super::error::{Fault, ReadError};

type Outcome<T> = Result<T, ReadError>;

/// Gives any type something plausible, on behalf of the mapping that lacks it.
#[derive(Clone, Copy)]
pub(super) struct Filler {
    pub(super) lacking: Id,
}

impl Filler {
    /// A stand-in that a type refuses; the mapping must do without one.
    fn refused(self) -> impl Fn(ReadError) -> ReadError {
        move |_| ReadError { at: Some(self.lacking), fault: Fault::RefusedFiller }
    }
}

macro_rules! fill_with {
    ($($method:ident => |$visitor:ident| $outcome:expr;)*) => {
        $(fn $method<V: Visitor<'de>>(self, $visitor: V) -> Outcome<V::Value> {
            let outcome: Outcome<V::Value> = $outcome;
            outcome.map_err(self.refused())
        })*
    };
}

impl<'de> Deserializer<'de> for Filler {
    type Error = ReadError;

    fill_with! {
        deserialize_any => |visitor| visitor.visit_u64(0);
        deserialize_bool => |visitor| visitor.visit_bool(false);
        deserialize_f32 => |visitor| visitor.visit_f64(1.0);
        deserialize_f64 => |visitor| visitor.visit_f64(1.0);
        deserialize_char => |visitor| visitor.visit_char('-');
        deserialize_str => |visitor| visitor.visit_str("");
        deserialize_string => |visitor| visitor.visit_str("");
        deserialize_identifier => |visitor| visitor.visit_str("");
        deserialize_option => |visitor| visitor.visit_none();
        deserialize_unit => |visitor| visitor.visit_unit();
        deserialize_ignored_any => |visitor| visitor.visit_unit();
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Outcome<V::Value> {
        visitor.visit_newtype_struct(self).map_err(self.refused())
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        visitor.visit_seq(Fill { filler: self, left: 0 }).map_err(self.refused())
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, left: usize, visitor: V) -> Outcome<V::Value> {
        visitor.visit_seq(Fill { filler: self, left }).map_err(self.refused())
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.deserialize_struct("", &[], visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Outcome<V::Value> {
        visitor.visit_map(FillFields { filler: self, fields }).map_err(self.refused())
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Outcome<V::Value> {
        let name = variants.first().copied().unwrap_or_default();
        visitor.visit_enum(FillVariant { filler: self, name }).map_err(self.refused())
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 bytes byte_buf unit_struct tuple_struct
    }
}

struct Fill {
    filler: Filler,
    left: usize,
}

impl<'de> SeqAccess<'de> for Fill {
    type Error = ReadError;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Outcome<Option<S::Value>> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        seed.deserialize(self.filler).map(Some)
    }
}

struct FillFields {
    filler: Filler,
    fields: &'static [&'static str],
}

impl<'de> MapAccess<'de> for FillFields {
    type Error = ReadError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Outcome<Option<S::Value>> {
        let Some((field, rest)) = self.fields.split_first() else { return Ok(None) };
        self.fields = rest;
        seed.deserialize(StrDeserializer::<ReadError>::new(field)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Outcome<S::Value> {
        seed.deserialize(self.filler)
    }
}

struct FillVariant {
    filler: Filler,
    name: &'static str,
}

impl<'de> EnumAccess<'de> for FillVariant {
    type Error = ReadError;
    type Variant = Filler;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Outcome<(S::Value, Filler)> {
        let name = StrDeserializer::<ReadError>::new(self.name);
        Ok((seed.deserialize(name)?, self.filler))
    }
}

impl<'de> VariantAccess<'de> for Filler {
    type Error = ReadError;

    fn unit_variant(self) -> Outcome<()> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Outcome<S::Value> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Outcome<V::Value> {
        self.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Outcome<V::Value> {
        self.deserialize_struct("", fields, visitor)
    }
}
