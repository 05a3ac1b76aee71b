//! Schemas and generated pages.

use super::{answer, refusal};
use serde_json::Value;
use std::fs;

#[test]
fn the_schema_is_a_schema() {
    let schema: Value = serde_json::from_str(&answer(&["schema"])).unwrap();
    assert!(schema["properties"]["ports"]["minimum"] == 2);
}

#[test]
fn the_configuration_page_is_up_to_date() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/configuration.md");
    let fresh = answer(&["schema", "--markdown"]);
    assert_eq!(fs::read_to_string(page).unwrap_or_default(), fresh, "run `railyard schema --markdown` into {page}");
}

#[test]
fn every_input_has_a_schema_and_a_scenario_has_a_page() {
    for (option, field) in [("--scenario", "traffic"), ("--network", "topology"), ("--sweep", "vary")] {
        let schema: Value = serde_json::from_str(&answer(&["schema", option])).unwrap();
        assert!(schema["properties"][field].is_object(), "{option}");
    }
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/scenario.md");
    let fresh = answer(&["schema", "--scenario", "--markdown"]);
    let command = "railyard schema --scenario --markdown";
    assert_eq!(fs::read_to_string(page).unwrap_or_default(), fresh, "run `{command}` into {page}");
    assert!(fresh.contains("| `/traffic/pattern/hot_spot/share` | 0.0 to 1.0 | (required) |"), "{fresh}");
    for two in [["--scenario", "--network"], ["--pins", "--registers"], ["--network", "--markdown"]] {
        assert!(refusal(&["schema", two[0], two[1]]).contains("cannot be used with"));
    }
}

#[test]
fn the_pin_page_is_up_to_date() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/pins.md");
    let fresh = answer(&["schema", "--pins"]);
    assert_eq!(fs::read_to_string(page).unwrap_or_default(), fresh, "run `railyard schema --pins` into {page}");
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/registers.md");
    let fresh = answer(&["schema", "--registers"]);
    assert_eq!(fs::read_to_string(page).unwrap_or_default(), fresh, "run `railyard schema --registers` into {page}");
}
