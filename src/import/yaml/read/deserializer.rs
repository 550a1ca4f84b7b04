//! Serde's view of a node.

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::super::node::{Entry, Node, Value};
use super::super::scalar::{Resolved, Scalar, Style};
use super::error::ReadError;
use super::filler::Filler;
use super::{Coercion, Context, id};

type Outcome<T> = Result<T, ReadError>;

/// Reads one node.
#[derive(Clone, Copy)]
pub(super) struct NodeDeserializer<'de, 'c> {
    node: &'de Node,
    context: &'c Context,
}

impl<'de, 'c> NodeDeserializer<'de, 'c> {
    pub(super) fn new(node: &'de Node, context: &'c Context) -> Self {
        Self { node, context }
    }

    fn located<T>(self, outcome: Outcome<T>) -> Outcome<T> {
        outcome.map_err(|error| error.at(id(self.node)))
    }

    /// The scalar as the core schema takes it.
    fn visit_resolved<V: Visitor<'de>>(self, scalar: &'de Scalar, visitor: V) -> Outcome<V::Value> {
        match scalar.resolved() {
            Resolved::Null => visitor.visit_unit(),
            Resolved::String => visitor.visit_borrowed_str(scalar.text()),
            Resolved::Bool(value) => visitor.visit_bool(value),
            number => visit_number(number, visitor),
        }
    }

    fn visit_sequence<V: Visitor<'de>>(self, items: &'de [Node], visitor: V) -> Outcome<V::Value> {
        visitor.visit_seq(Items { items: items.iter(), context: self.context })
    }

    fn visit_mapping<V: Visitor<'de>>(
        self,
        entries: &'de [Entry],
        skips_null: bool,
        visitor: V,
    ) -> Outcome<V::Value> {
        let fillers = self.context.filled(self.node).iter();
        let filler = Filler { lacking: id(self.node) };
        let (entries, context) = (entries.iter(), self.context);
        visitor.visit_map(Fields { entries, value: None, fillers, filler, skips_null, context })
    }

    /// A number where a number is meant; one in quotes is taken with a warning.
    fn number<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        let number =
            self.node.scalar().filter(|scalar| !scalar.is_null()).and_then(Scalar::as_number);
        let Some(number) = number else { return self.deserialize_any(visitor) };
        if self.node.scalar().is_some_and(|scalar| scalar.style() != Style::Plain) {
            self.context.coerce(self.node, Coercion::QuotedNumber);
        }
        self.located(visit_number(number, visitor))
    }

    /// A whole number where one is meant: `1e3` and `3.0` are whole.
    fn integer<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        match self.node.scalar().and_then(Scalar::as_number) {
            Some(Resolved::Float(value)) if is_whole(value) => {
                self.located(visitor.visit_i64(value as i64))
            }
            Some(Resolved::Float(value)) => {
                self.located(Err(Error::invalid_type(Unexpected::Float(value), &visitor)))
            }
            _ => self.number(visitor),
        }
    }

    /// Text where text is meant: spelled as in the file, even if YAML takes it for something else.
    fn text<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        let Some(scalar) = self.node.scalar() else { return self.deserialize_any(visitor) };
        let text = match scalar.resolved() {
            Resolved::Null => "",
            Resolved::String => scalar.text(),
            _ => {
                self.context.coerce(self.node, Coercion::PlainText);
                scalar.text()
            }
        };
        self.located(visitor.visit_borrowed_str(text))
    }

    fn boolean<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        let Some(scalar) = self.node.scalar() else { return self.deserialize_any(visitor) };
        let Some(value) = scalar.as_bool() else { return self.deserialize_any(visitor) };
        match scalar.resolved() {
            Resolved::Bool(_) => {}
            _ if scalar.style() == Style::Plain => {
                self.context.coerce(self.node, Coercion::Yaml11Bool);
            }
            _ => self.context.coerce(self.node, Coercion::QuotedBool),
        }
        self.located(visitor.visit_bool(value))
    }
}

fn is_whole(value: f64) -> bool {
    value.fract() == 0.0 && value.abs() < 9e15
}

fn visit_number<'de, V: Visitor<'de>>(number: Resolved, visitor: V) -> Outcome<V::Value> {
    match number {
        Resolved::Unsigned(value) => visitor.visit_u64(value),
        Resolved::Signed(value) => visitor.visit_i64(value),
        Resolved::Float(value) => visitor.visit_f64(value),
        Resolved::Null | Resolved::Bool(_) | Resolved::String => visitor.visit_unit(),
    }
}

impl<'de> Deserializer<'de> for NodeDeserializer<'de, '_> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        let outcome = match self.node.value() {
            Value::Scalar(scalar) => self.visit_resolved(scalar, visitor),
            Value::Sequence(items) => self.visit_sequence(items, visitor),
            Value::Mapping(entries) => self.visit_mapping(entries, false, visitor),
        };
        self.located(outcome)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.boolean(visitor)
    }

    fn deserialize_i8<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.integer(visitor)
    }

    fn deserialize_i16<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.integer(visitor)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.integer(visitor)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.integer(visitor)
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.integer(visitor)
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.integer(visitor)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.integer(visitor)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.integer(visitor)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.number(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.number(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.text(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.text(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        let outcome =
            if self.node.is_null() { visitor.visit_none() } else { visitor.visit_some(self) };
        self.located(outcome)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Outcome<V::Value> {
        self.located(visitor.visit_newtype_struct(self))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        if self.node.is_null() {
            return self.located(self.visit_sequence(&[], visitor));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        if self.node.is_null() {
            return self.located(self.visit_mapping(&[], false, visitor));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Outcome<V::Value> {
        let outcome = match self.node.value() {
            Value::Mapping(entries) => self.visit_mapping(entries, true, visitor),
            Value::Scalar(scalar) if scalar.is_null() => self.visit_mapping(&[], true, visitor),
            Value::Sequence(_) => Err(Error::invalid_type(Unexpected::Seq, &visitor)),
            Value::Scalar(_) => return self.deserialize_any(visitor),
        };
        self.located(outcome)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Outcome<V::Value> {
        let outcome = match self.node.value() {
            Value::Scalar(scalar) if !scalar.is_null() => {
                visitor.visit_enum(StrDeserializer::new(scalar.text()))
            }
            Value::Mapping(entries) if entries.len() == 1 => {
                visitor.visit_enum(Variant { entry: &entries[0], context: self.context })
            }
            _ => Err(Error::invalid_type(Unexpected::Map, &visitor)),
        };
        self.located(outcome)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.text(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.context.ignore(self.node);
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i128 u128 char bytes byte_buf unit unit_struct tuple tuple_struct
    }
}

/// Elements of a list, without the hidden ones.
struct Items<'de, 'c> {
    items: std::slice::Iter<'de, Node>,
    context: &'c Context,
}

impl<'de> SeqAccess<'de> for Items<'de, '_> {
    type Error = ReadError;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Outcome<Option<S::Value>> {
        let context = self.context;
        let Some(item) = self.items.find(|item| !context.is_hidden(item)) else { return Ok(None) };
        seed.deserialize(NodeDeserializer::new(item, context))
            .map(Some)
            .map_err(|error| error.at(id(item)))
    }
}

/// Keys and values of a mapping, without the hidden ones and, for structs, without nulls.
struct Fields<'de, 'c> {
    entries: std::slice::Iter<'de, Entry>,
    value: Option<&'de Node>,
    /// Missing fields that get a stand-in.
    fillers: std::slice::Iter<'c, &'static str>,
    filler: Filler,
    skips_null: bool,
    context: &'c Context,
}

impl<'de> MapAccess<'de> for Fields<'de, '_> {
    type Error = ReadError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Outcome<Option<S::Value>> {
        let (context, skips_null) = (self.context, self.skips_null);
        let entry = self.entries.find(|Entry { value, .. }| {
            !(context.is_hidden(value) || skips_null && value.is_null())
        });
        let Some(entry) = entry else { return self.next_filled_key(seed) };
        self.value = Some(&entry.value);
        seed.deserialize(StrDeserializer::<ReadError>::new(&entry.key.text))
            .map(Some)
            .map_err(|error| error.at(id(&entry.value)))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Outcome<S::Value> {
        let Some(value) = self.value.take() else { return seed.deserialize(self.filler) };
        seed.deserialize(NodeDeserializer::new(value, self.context))
            .map_err(|error| error.at(id(value)))
    }
}

impl Fields<'_, '_> {
    fn next_filled_key<'de, S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Outcome<Option<S::Value>> {
        let Some(field) = self.fillers.next() else { return Ok(None) };
        seed.deserialize(StrDeserializer::<ReadError>::new(field)).map(Some)
    }
}

/// A variant with content: a mapping with one key.
struct Variant<'de, 'c> {
    entry: &'de Entry,
    context: &'c Context,
}

impl<'de> EnumAccess<'de> for Variant<'de, '_> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Outcome<(S::Value, Self)> {
        let name = StrDeserializer::<ReadError>::new(&self.entry.key.text);
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de, '_> {
    type Error = ReadError;

    fn unit_variant(self) -> Outcome<()> {
        if self.entry.value.is_null() || self.entry.value.entries().is_empty() {
            return Ok(());
        }
        Err(ReadError::custom("takes no value").at(id(&self.entry.value)))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Outcome<S::Value> {
        seed.deserialize(NodeDeserializer::new(&self.entry.value, self.context))
            .map_err(|error| error.at(id(&self.entry.value)))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Outcome<V::Value> {
        NodeDeserializer::new(&self.entry.value, self.context).deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Outcome<V::Value> {
        NodeDeserializer::new(&self.entry.value, self.context)
            .deserialize_struct("", fields, visitor)
    }
}
