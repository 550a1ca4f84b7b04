use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::parse;
use super::*;
use crate::scenario::problem::SourceFile;

fn node(text: &str) -> Node {
    let mut parsed = parse(&SourceFile::new("test.yaml", text));
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    parsed.documents.remove(0)
}

fn sentences<T>(reading: &Reading<T>) -> Vec<String> {
    reading.problems.iter().map(Problem::sentence).collect()
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
struct Deployment {
    #[serde(default)]
    replicas: u32,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    #[serde(default)]
    containers: Vec<Container>,
    #[serde(default)]
    paused: bool,
    strategy: Option<Strategy>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Container {
    name: String,
    port: u16,
}

#[derive(Debug, Deserialize, PartialEq)]
enum Strategy {
    RollingUpdate,
    Recreate,
}

#[test]
fn all_problems_are_found_at_once_and_the_rest_is_read() {
    let reading = read_value::<Deployment>(&node(
        "replicas: many\n\
         containers:\n\
         - {name: a, port: 80}\n\
         - {name: b, port: 99999}\n\
         - {port: 80}\n\
         paused: maybe\n\
         strategy: RollingUpdat\n",
    ));

    assert_eq!(
        sentences(&reading),
        [
            "replicas is `many`, but must be a whole number, 0 to 4294967295",
            "containers[1].port is 99999, but must be a whole number, 0 to 65535",
            "containers[2].name is missing",
            "paused is `maybe`, but must be true or false",
            "strategy is `RollingUpdat`, but must be one of `RollingUpdate`, `Recreate`",
        ]
    );
    assert_eq!(reading.problems[4].hint.as_deref(), Some("did you mean `RollingUpdate`?"));
    let place = reading.problems[1].location.as_ref().unwrap();
    assert_eq!((place.line(), place.column()), (4, 19));
    assert_eq!(reading.value.unwrap().containers, [Container { name: "a".into(), port: 80 }]);
}

#[test]
fn fields_that_nobody_reads_are_listed() {
    let reading = read_value::<Deployment>(&node(
        "replicas: 1\nparanoia: {a: 1}\ncontainers: [{name: a, port: 1, image: x}]\n",
    ));

    assert_eq!(reading.ignored, ["paranoia", "containers[0].image"]);
    assert!(reading.problems.is_empty());
}

#[test]
fn labels_keep_their_spelling_with_a_warning() {
    let reading = read_value::<Deployment>(&node(
        "labels: {version: 1.10, build: 012, hex: 0x1F, debug: on, ok: \"1.10\"}\n",
    ));

    let labels = reading.value.as_ref().unwrap().labels.clone();
    let expected =
        [("version", "1.10"), ("build", "012"), ("hex", "0x1F"), ("debug", "on"), ("ok", "1.10")];
    assert_eq!(labels, expected.map(|(k, v)| (k.to_owned(), v.to_owned())).into());
    assert_eq!(reading.problems.len(), 3, "{:?}", sentences(&reading));
    assert_eq!(reading.problems.iter().filter(|p| p.sentence().contains("1.10")).count(), 1);
}

#[test]
fn numbers_and_booleans_in_quotes_are_taken_with_a_warning() {
    let reading = read_value::<Deployment>(&node("replicas: \"3\"\npaused: \"true\"\n"));

    let read = reading.value.as_ref().unwrap();
    assert_eq!((read.replicas, read.paused), (3, true));
    assert_eq!(
        sentences(&reading),
        [
            "replicas `3` is text where a number is meant",
            "paused `true` is text where true or false is meant"
        ]
    );
}

#[test]
fn null_means_left_out() {
    let reading = read_value::<Deployment>(&node("replicas:\nlabels: ~\ncontainers: null\n"));

    assert!(reading.problems.is_empty());
    assert_eq!(reading.value.unwrap().replicas, 0);
}

#[test]
fn whole_numbers_may_be_written_as_floats() {
    assert_eq!(read_value::<Deployment>(&node("replicas: 1e1")).value.unwrap().replicas, 10);
    let half = read_value::<Deployment>(&node("replicas: 1.5"));
    assert_eq!(sentences(&half), ["replicas is 1.5, but must be a whole number, 0 to 4294967295"]);
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Strict {
    #[expect(dead_code, reason = "only its name matters")]
    duration: Option<String>,
    #[expect(dead_code, reason = "only its name matters")]
    seed: Option<u64>,
}

#[test]
fn an_unknown_field_is_named_with_the_nearest_that_exists() {
    let reading = read_value::<Strict>(&node("duraton: 1s\nwhatever: 1\nseed: -1\n"));

    assert_eq!(
        sentences(&reading),
        [
            "duraton is not a field that exists here",
            "whatever is not a field that exists here",
            "seed is -1, but must be a whole number, at least 0"
        ]
    );
    assert_eq!(reading.problems[0].hint.as_deref(), Some("did you mean `duration`?"));
    assert_eq!(reading.problems[1].hint.as_deref(), Some("the fields are `duration`, `seed`"));
}

#[test]
fn a_faulty_required_field_is_not_also_missing() {
    let reading = read_value::<Container>(&node("name: a\nport: x\n"));

    assert_eq!(sentences(&reading), ["port is `x`, but must be a whole number, 0 to 65535"]);
    assert!(reading.value.is_none());
}
