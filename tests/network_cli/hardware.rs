//! Networks as Verilog.

use super::{file, network, pair, text};
use serde_json::{json, Value};
use std::fs;
use std::path::Path;

#[test]
fn a_network_is_generated_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "pair.json", &pair());
    let (path, output) = (path.to_str().unwrap(), folder.path().join("out"));
    let answer = network(&["generate", path, "-o", output.to_str().unwrap(), "--json"], 0);
    let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(answer["top"], "pair_network");
    let manifest: Value = serde_json::from_str(&fs::read_to_string(output.join("manifest.json")).unwrap()).unwrap();
    let link =
        |number: usize| (&manifest["network"]["links"][number]["from"], &manifest["network"]["links"][number]["to"]);
    assert_eq!(link(0), (&json!("switch 1 port 0"), &json!("switch 0 port 0")));
    assert_eq!(link(7), (&json!("switch 1 port 2"), &json!("node 1")));
    assert_eq!(manifest["network"]["edge_ports"], 4);
    let listed = fs::read_to_string(output.join("files.f")).unwrap();
    let last: Vec<&str> = listed.lines().rev().take(3).collect();
    assert_eq!(last, ["pair_network.v", "pair_link.v", "p_switch.v"]);

    fs::write(output.join("pair_link.v"), "// mine").unwrap();
    let refused = text(&network(&["generate", path, "-o", output.to_str().unwrap()], 2).stderr);
    assert!(refused.contains("pair_link.v: was edited since"), "{refused}");
    network(&["generate", path, "-o", output.to_str().unwrap(), "--name", "two", "--force"], 0);
    assert!(output.join("two_network.v").exists() && !output.join("pair_link.v").exists());

    let nothing = folder.path().join("nothing");
    let refused = text(&network(&["generate", path, "-o", nothing.to_str().unwrap(), "--name", "3x"], 2).stderr);
    assert!(refused.contains("--name: /name: \"3x\""), "{refused}");
    let mut direct = pair();
    direct["link_latency"] = json!(0);
    let direct = file(folder.path(), "direct.json", &direct);
    let refused = text(&network(&["generate", direct.to_str().unwrap(), "-o", nothing.to_str().unwrap()], 2).stderr);
    assert!(refused.contains("/link_latency: 0 must be at least 1"), "{refused}");
    let long = |latency: i32| {
        let mut long = pair();
        long["topology"]["links"][0] = json!({"ends": [[0, 0], [1, 0]], "latency": latency});
        file(folder.path(), "long.json", &long)
    };
    for (latency, told) in
        [(0, "/topology/links/0/latency: 0 must be at least 1"), (1001, "/topology/links/0/latency: 1001")]
    {
        let refused = network(&["generate", long(latency).to_str().unwrap(), "-o", nothing.to_str().unwrap()], 2);
        assert!(text(&refused.stderr).contains(told), "{}", text(&refused.stderr));
    }
    assert!(!nothing.exists());
    network(&["generate", long(5).to_str().unwrap(), "-o", nothing.to_str().unwrap()], 0);
    let manifest: Value = serde_json::from_str(&fs::read_to_string(nothing.join("manifest.json")).unwrap()).unwrap();
    let links = manifest["network"]["links"].as_array().unwrap();
    let long = links.iter().filter(|link| link["latency"] == 5).map(|link| &link["to"]).collect::<Vec<_>>();
    assert_eq!(long, [&json!("switch 0 port 0"), &json!("switch 1 port 0")]);
    assert!(nothing.join("long_link_1.v").exists() && nothing.join("long_link_5.v").exists());
}

#[test]
fn a_network_is_verified_and_an_edited_one_fails() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "pair.json", &pair());
    let path = path.to_str().unwrap();
    let table = text(&network(&["verify", path, "--cycles", "500"], 0).stdout);
    assert!(table.contains("passed: Verilog and golden models equal in every cycle"), "{table}");

    // The same model, with packets from a file: by option, and by a field.
    let packets = folder.path().join("app.trace");
    fs::write(&packets, "0 0 1 4 0\n300 1 0 4 # later\n").unwrap();
    let by_option = ["verify", path, "--traffic-file", packets.to_str().unwrap()];
    let mut named = pair();
    named["traffic"] = json!({"file": "app.trace"});
    let by_field = file(folder.path(), "named.json", &named);
    for args in [&by_option[..], &["verify", by_field.to_str().unwrap()]] {
        let answer: Value = serde_json::from_slice(&network(&[args, &["--json"]].concat(), 0).stdout).unwrap();
        assert_eq!((&answer["passed"], &answer["unicast"]["packets"]), (&json!(true), &json!(2)), "{answer}");
        assert!(answer["cycles"].as_u64() > Some(300), "{answer}");
    }
    let refused = text(&network(&["verify", by_field.to_str().unwrap(), "--load", "0.1"], 2).stderr);
    assert!(refused.contains("--load: the network file names its packets (/traffic/file)"), "{refused}");
    let refused = text(&network(&["curve", by_field.to_str().unwrap()], 2).stderr);
    assert!(refused.contains("/traffic/file"), "{refused}");

    let output = folder.path().join("out");
    let output = output.to_str().unwrap();
    network(&["generate", path, "-o", output], 0);
    let link = Path::new(output).join("pair_link.v");
    let edited = fs::read_to_string(&link).unwrap().replace("rx_flit = rank_flit_q", "rx_flit = ~rank_flit_q");
    fs::write(&link, edited).unwrap();
    let answer = network(&["verify", path, "--design", output, "--cycles", "500", "--json"], 1);
    let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!((&answer["passed"], &answer["mismatches"][0]["kind"]), (&json!(false), &json!("observed")));
    let what = answer["mismatches"][0]["what"].as_str().unwrap();
    assert!(what.starts_with("cycle ") && what.contains("Verilog and golden model differ"), "{what}");

    let exits = fs::read_to_string(&link).unwrap().replace("~rank_flit_q", "rank_flit_q");
    let attack = "    always @(posedge clock) $c(\"std::exit(0);\");\nendmodule";
    fs::write(&link, exits.replace("endmodule", attack)).unwrap();
    let answer = network(&["verify", path, "--design", output, "--cycles", "500", "--json"], 1);
    let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
    let what = answer["mismatches"][0]["what"].as_str().unwrap();
    assert!(what.contains("the design ended its process with exit code 0"), "{what}");

    fs::write(&link, exits.replace("endmodule", "    final $error(\"too few\");\nendmodule")).unwrap();
    let answer = network(&["verify", path, "--design", output, "--cycles", "500", "--json"], 1);
    let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
    let what = answer["mismatches"][0]["what"].as_str().unwrap();
    assert!(what.starts_with("after the last cycle the Verilog fails: pair_link.v:"), "{what}");
}
