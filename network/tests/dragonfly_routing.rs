//! Networks whose switches choose ways in a Dragonfly: everything arrives, with every choice that the check accepts;
//! and what the check refuses stands still.

use railyard_network::description::Input;
use railyard_network::harness::{Mismatch, MisroutingReport};
use railyard_network::{execute, Execution, Extent, FullLink};
use serde_json::{json, Value};
use std::path::Path;

/// The example, a balanced Dragonfly of h = 2, with other settings and traffic.
fn example(adaptive: Value, pattern: Value, load: f64) -> Value {
    let mut network: Value =
        serde_json::from_str(include_str!("../../configs/networks/dragonfly_adaptive.json")).unwrap();
    network["adaptive"] = adaptive;
    network["traffic"] = json!({"pattern": pattern, "load": load});
    network
}

/// A Dragonfly of h = 1: p nodes at each of a switches of a group.
fn small(p: usize, a: usize, requests: &str, adaptive: Value) -> Value {
    let mut network = example(adaptive, json!("uniform"), 1.0);
    network["topology"] = json!({"kind": "dragonfly", "p": p, "a": a, "h": 1});
    let switch = &mut network["switch"];
    switch["ports"] = json!(p + a);
    switch["buffer_flits"] = json!(16);
    switch["virtual_channels"]["unicast"] = json!(requests.matches('l').count());
    switch["routing"]["port_classes"] =
        json!({"node": {"ports": p}, "local": {"ports": a - 1}, "global": {"ports": 1}});
    switch["routing"]["vcs"]["requests"] = json!(requests);
    network
}

/// With all rules and triggers built.
fn whole(mut network: Value) -> Value {
    network["switch"]["routing"]["random_vcs"] = json!(true);
    for part in ["filter", "ectn", "saturation"] {
        network["switch"]["routing"]["adaptive"][part] = json!(true);
    }
    network
}

/// Valiant over a switch on the sequence that is safe for it.
fn over_switches(mut network: Value) -> Value {
    network["switch"]["virtual_channels"]["unicast"] = json!(4);
    network["switch"]["routing"]["vcs"]["requests"] = json!("lgllgl");
    network["switch"]["routing"]["adaptive"]["valiant"] = json!("router");
    network
}

fn run(network: &Value, cycles: u64) -> Execution {
    let input = Input::read(&network.to_string(), Path::new("")).unwrap_or_else(|error| panic!("{network}: {error}"));
    execute(&input, &input.run(1), Extent::new(cycles), |_| ()).unwrap()
}

fn faultless(network: &Value, cycles: u64) -> Execution {
    let execution = run(network, cycles);
    assert_eq!(execution.report.mismatches, [], "{network}");
    assert!(execution.report.unicast.packets > 100, "{network}");
    execution
}

fn refused(network: &Value) -> String {
    Input::read(&network.to_string(), Path::new("")).unwrap_err().to_string()
}

fn adversarial() -> Value {
    json!({"adversarial": {"offset": 1}})
}

/// All modes, policies and rules; triggers in turn.
fn all_choices() -> Vec<Value> {
    let modes = ["minimal", "valiant", "ugal", "piggyback"].map(|mode| json!({"mode": mode}));
    let in_transit = ["crg", "nrg", "rrg", "mm"].map(|policy| json!({"mode": "in_transit", "policy": policy}));
    let rules = ["next", "room", "highest", "lowest", "random"];
    let triggers = ["credits", "contention", "hybrid", "filtered", "ectn"];
    let mut all = Vec::new();
    for (i, choice) in modes.into_iter().chain(in_transit).enumerate() {
        for (r, rule) in rules.into_iter().enumerate() {
            let mut choice = choice.clone();
            choice["vc_rule"] = json!(rule);
            if choice["mode"] == "in_transit" {
                choice["trigger"] = json!(triggers[(i + r) % triggers.len()]);
                choice["local_detour"] = json!(r % 2 == 0);
                choice["ectn"] = json!({"threshold": 4, "period": 30});
                choice["contention"] = json!({"threshold": 2, "hybrid": 3, "shift": 1 + r});
            }
            all.push(choice);
        }
    }
    all
}

/// Minimal ways with the rule `next` keep packets in order, which the scoreboard checks.
#[test]
fn minimal_ways_are_short_and_keep_order() {
    let network = example(json!({}), json!("uniform"), 0.3);
    let input = Input::read(&network.to_string(), Path::new("")).unwrap();
    assert!(input.blueprint.keeps_order());
    let report = faultless(&network, 600).report;
    assert!(report.hops < 3.0 && !report.saturated, "{report:?}");
    assert_eq!(report.misrouting.map(|m| (m.to_via, m.global)), Some((0.0, 0.0)));
    for other in [json!({"vc_rule": "room"}), json!({"mode": "ugal"})] {
        let input = Input::read(&example(other, json!("uniform"), 0.3).to_string(), Path::new("")).unwrap();
        assert!(!input.blueprint.keeps_order());
    }
}

/// At full load nothing stands still, whatever packets choose.
#[test]
fn every_choice_that_is_accepted_goes_on() {
    let mut escapes = 0.0;
    for choice in all_choices() {
        let report = faultless(&whole(small(2, 2, "lglgl", choice)), 1_000).report;
        escapes += report.misrouting.map_or(0.0, |misrouting| misrouting.escapes);
    }
    assert!(escapes > 0.0, "some packet went its escape");
}

/// The same of h = 2 for a million cycles each.
#[test]
#[ignore = "long"]
fn every_choice_goes_on_for_long() {
    for choice in all_choices() {
        for network in
            [example(choice.clone(), json!("uniform"), 1.0), over_switches(example(choice.clone(), adversarial(), 1.0))]
        {
            faultless(&whole(network), 1_000_000);
        }
    }
}

/// Adversarial traffic: the one link between two groups carries all that the a p nodes of a group send. Over other
/// groups each packet takes two global links, but for one in G - 1 that is sent to its destination's group.
#[test]
fn adversarial_traffic_saturates_where_links_are_full() {
    let (a_p, groups) = (8.0, 9.0);
    // Links so short that one VC keeps them full.
    let example = |adaptive, load| {
        let mut network = example(adaptive, adversarial(), load);
        network["topology"]["latency"] = json!({});
        network
    };
    let bound = 1.0 / a_p;
    let minimal = faultless(&example(json!({}), 0.3), 1_500).report;
    assert!((0.9 * bound..=1.01 * bound).contains(&minimal.accepted), "{minimal:?}");
    let bound = 1.0 / (2.0 - 1.0 / (groups - 1.0));
    let valiant = json!({"mode": "valiant", "patience": 255});
    for network in [example(valiant.clone(), 0.6), over_switches(example(valiant, 0.6))] {
        let valiant = faultless(&network, 1_500).report;
        assert!((0.75 * bound..=1.01 * bound).contains(&valiant.accepted), "{valiant:?}");
        assert!(valiant.misrouting.is_some_and(|misrouting| misrouting.to_via > 0.9), "{valiant:?}");
    }
    let in_transit = json!({"mode": "in_transit", "trigger": "contention", "contention": {"threshold": 3}});
    let report = faultless(&example(in_transit, 0.4), 1_000).report;
    assert!(report.accepted > 0.35, "{report:?}");
    let Some(MisroutingReport { misrouted, .. }) = report.misrouting else { panic!("{report:?}") };
    // What that one link carries at most goes minimally.
    assert!((1.0 - 1.05 / a_p / report.accepted..1.0).contains(&misrouted), "{report:?}");
}

/// Misrouted share at the end of a run whose traffic turns from uniform to adversarial, on links of 10 and 100 cycles.
fn misrouted_after_change(depth: u32, adaptive: Value) -> f64 {
    let mut network = example(adaptive, json!("uniform"), 0.2);
    network["traffic"]["changes"] = json!([{"cycle": 1000, "pattern": adversarial()}]);
    network["topology"]["latency"] = json!({"local": 10, "global": 100});
    network["switch"]["buffer_flits"] = json!(depth);
    let input = Input::read(&network.to_string(), Path::new("")).unwrap();
    let extent = Extent { series: Some(100), ..Extent::new(2_000) };
    let execution = execute(&input, &input.run(1), extent, |_| ()).unwrap();
    assert_eq!(execution.report.mismatches, []);
    let share = |from: u64, to: u64| {
        let rows = execution.series.iter().filter(|row| (from..to).contains(&row.cycle));
        let shares: Vec<f64> = rows.filter_map(|row| row.misrouted).collect();
        shares.iter().sum::<f64>() / shares.len() as f64
    };
    assert!(share(500, 1_000) < 0.1, "uniform traffic goes minimally");
    share(1_300, 2_000)
}

/// Contention counters see a change of the traffic at once, however deep buffers are. A threshold of places in use that
/// is a share of the buffer sees it late, and not at all in deep buffers.
#[test]
#[ignore = "long"]
fn contention_counters_do_not_depend_on_buffers() {
    let by = |trigger: &str, least: u32| {
        json!({"mode": "in_transit", "policy": "crg", "trigger": trigger, "contention": {"threshold": 3},
            "credit_trigger": {"least": least}})
    };
    let [shallow, deep] = [256, 2048].map(|depth| misrouted_after_change(depth, by("contention", 0)));
    assert!(shallow > 0.3 && deep > 0.3 && (deep / shallow - 1.0).abs() < 0.2, "{shallow} {deep}");
    let [shallow, deep] = [256, 2048].map(|depth| misrouted_after_change(depth, by("credits", depth / 2)));
    assert!(shallow > 0.3 && deep < 0.05, "{shallow} {deep}");
}

/// The example with a depth of buffers for each kind of port.
fn with_depths(depths: [u32; 3], adaptive: Value, load: f64) -> Value {
    let mut network = example(adaptive, json!("uniform"), load);
    for (kind, depth) in ["node", "local", "global"].into_iter().zip(depths) {
        network["switch"]["routing"]["port_classes"][kind]["buffer_flits"] = json!(depth);
    }
    network
}

/// Buffers as deep as their links are long: all credit comes back, and global links stay full. One maximum packet is
/// enough for packets to go on.
#[test]
fn buffers_of_each_kind_of_port() {
    let max_flits = example(json!({}), json!("uniform"), 1.0)["switch"]["packet"]["max_flits"].as_u64().unwrap() as u32;
    for adaptive in [json!({}), json!({"mode": "ugal"}), json!({"mode": "in_transit", "vc_rule": "room"})] {
        let mut deep = with_depths([16, 32, 256], adaptive.clone(), 0.3);
        deep["topology"]["latency"] = json!({"local": 10, "global": 100});
        faultless(&deep, 1_500);
        let least = max_flits.next_power_of_two();
        faultless(&with_depths([least; 3], adaptive.clone(), 1.0), 2_000);
        faultless(&with_depths([4 * least, least, least], adaptive, 1.0), 2_000);
    }
    let mut deep = with_depths([32, 64, 256], json!({}), 0.3);
    deep["topology"]["latency"] = json!({"local": 10, "global": 100});
    let input = Input::read(&deep.to_string(), Path::new("")).unwrap();
    let kinds = FullLink::of_kinds(&input.blueprint, input.description.link_latency);
    assert_eq!(kinds.iter().map(|link| link.buffer_flits).collect::<Vec<_>>(), [32, 64, 256]);
    assert_eq!(kinds.iter().map(|link| link.latency).collect::<Vec<_>>(), [input.description.link_latency, 10, 100]);
    assert_eq!(FullLink::notes(&kinds), [""; 0]);
    deep["switch"]["routing"]["port_classes"]["global"]["buffer_flits"] = json!(128);
    let input = Input::read(&deep.to_string(), Path::new("")).unwrap();
    let kinds = FullLink::of_kinds(&input.blueprint, input.description.link_latency);
    let [note] = FullLink::notes(&kinds).try_into().unwrap();
    assert!(note.contains("a global link of 100 cycles"), "{note}");
    assert!(note.ends_with("`routing.port_classes.global.buffer_flits` of the switch: 256"), "{note}");
    assert_eq!(FullLink::tightest(&kinds).and_then(|link| link.kind), Some("global"));
}

/// Routers tell each other what they sense, also over links that lose and corrupt messages.
#[test]
fn routers_tell_each_other() {
    let ectn = json!({"mode": "in_transit", "policy": "crg", "trigger": "ectn", "contention": {"threshold": 3},
        "ectn": {"threshold": 6, "period": 100}});
    let piggyback = json!({"mode": "piggyback", "saturation": {"factor": 4, "offset": 8, "gap": 7}});
    for (adaptive, least) in [(ectn, 0.2), (piggyback, 0.2)] {
        let mut network = whole(example(adaptive.clone(), adversarial(), 0.4));
        network["switch"]["routing"]["adaptive"]["ectn"] = json!(adaptive["mode"] == "in_transit");
        network["switch"]["routing"]["adaptive"]["saturation"] = json!(adaptive["mode"] == "piggyback");
        let report = faultless(&network, 2_000).report;
        assert!(report.accepted > least && report.misrouting.is_some_and(|of| of.misrouted > 0.4), "{report:?}");
        let messages = report.router_messages.unwrap();
        assert!(messages.messages > 0 && messages.lost == 0 && messages.corrupted == 0, "{messages:?}");
        if adaptive["mode"] == "in_transit" {
            // One message of nine counters in a hundred cycles, at the end of a round of nine.
            assert!((0.0095..0.0105).contains(&messages.busy), "{messages:?}");
        } else {
            // More than the one message in 256 cycles: links become saturated.
            assert!((0.005..0.125).contains(&messages.busy), "{messages:?}");
        }
        network["faults"] = json!({"lost_messages": 0.2, "corrupt_messages": 0.1});
        let report = faultless(&network, 2_000).report;
        let messages = report.router_messages.unwrap();
        assert!(messages.lost > 0 && messages.corrupted > 0 && report.accepted > least, "{report:?}");
    }
    let mut silent = example(json!({}), json!("uniform"), 0.1);
    silent["faults"] = json!({"lost_messages": 0.1});
    let text = refused(&silent);
    assert!(text.contains("/faults/lost_messages: 0.1 needs a switch with messages"), "{text}");
}

/// Requests and replies, each on letters of its own.
fn with_replies(mut network: Value) -> Value {
    network["switch"]["virtual_channels"]["unicast"] = json!(5);
    network["switch"]["routing"]["vcs"]["replies"] = json!("lgl");
    network["traffic"]["replies"] = json!(true);
    network
}

/// At full load nodes fill up with replies, and go on. With fewer places they take fewer requests at a time.
#[test]
fn replies_come_back() {
    let mut network = with_replies(small(2, 2, "lglgl", json!({"mode": "in_transit", "policy": "rrg"})));
    let mut throughput = Vec::new();
    for places in [None, Some(1), Some(1024)] {
        network["traffic"]["reply_places"] = json!(places);
        let report = faultless(&network, 1_000).report;
        assert!(report.replies.is_some_and(|replies| replies.packets > 100));
        throughput.push(report.accepted);
    }
    assert!(throughput[1] < throughput[0] && throughput[0] <= 1.02 * throughput[2], "{throughput:?}");
    network["adaptive"] = json!({});
    faultless(&network, 1_000);
}

/// A trunk is taken out: the tables of its groups lead over the other one.
#[test]
fn a_trunk_is_taken_out() {
    let mut network = example(json!({"mode": "in_transit"}), json!("uniform"), 0.4);
    network["topology"]["groups"] = json!(3);
    network["faults"] = json!({"links_down": [{"link": [0, 5], "cycle": 300}]});
    assert_eq!(faultless(&network, 800).report.outages.len(), 1);
    network["topology"]["trunks"] = json!(1);
    assert!(refused(&network).contains("one between each two groups"), "{}", refused(&network));
}

/// In transit, with more settings.
fn in_transit(more: Value) -> Value {
    let mut adaptive = json!({"mode": "in_transit", "policy": "mm", "local_detour": true});
    adaptive.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    adaptive
}

/// The check refuses a network, and where it is allowed it stands still.
fn is_refused_and_stands_still(mut network: Value, cycles: u64) {
    assert!(refused(&network).contains("deadlock: switch "), "{}", refused(&network));
    network["adaptive"]["allow_deadlock"] = json!(true);
    let Execution { report, notes, .. } = run(&network, cycles);
    let stalled = |mismatch: &Mismatch| matches!(mismatch, Mismatch::Stalled { .. });
    assert!(report.mismatches.iter().any(stalled), "{network}: {report:?}");
    assert!(notes.iter().any(|note| note.contains("can stand still")), "{notes:?}");
}

/// Controls: one VC for all hops, and packets that never ask for their escape.
#[test]
fn what_the_check_refuses_stands_still() {
    let one_vc = in_transit(json!({"vc_mask_local": [1, 1, 1, 1], "vc_mask_global": [1, 1, 1, 1]}));
    is_refused_and_stands_still(small(2, 2, "lglgl", one_vc), 1_000);
    let no_escape = in_transit(json!({"policy": "nrg", "patience": 0, "credit_trigger": {"share": 255}}));
    is_refused_and_stands_still(small(2, 2, "gllgl", no_escape), 4_000);
}

/// Controls: replies on the virtual channels of requests, and nodes that send both on all of theirs.
fn replies_behind_requests(network: &Value) -> [Value; 2] {
    let shared = json!({"reply_vc_mask_local": [2, 2, 1, 1], "reply_vc_mask_global": [1, 1, 1, 1]});
    [shared, json!({"node_requests": 31})].map(|adaptive| {
        let mut network = with_replies(network.clone());
        network["adaptive"] = adaptive;
        network["switch"]["buffer_flits"] = json!(16);
        network
    })
}

#[test]
fn replies_behind_requests_stand_still() {
    for mut network in replies_behind_requests(&small(2, 2, "lglgl", json!({}))) {
        network["traffic"]["reply_places"] = json!(1);
        is_refused_and_stands_still(network, 2_000);
    }
}

/// The same of h = 2.
#[test]
#[ignore = "long"]
fn replies_behind_requests_stand_still_in_larger_networks() {
    for network in replies_behind_requests(&example(json!({}), json!("uniform"), 1.0)) {
        is_refused_and_stands_still(network, 8_000);
    }
}

/// Control: masks that allow every VC.
#[test]
#[ignore = "long"]
fn masks_that_allow_all_stand_still() {
    let masks = in_transit(json!({"vc_rule": "lowest", "vc_mask_local": [7, 7, 7, 7], "vc_mask_global": [3, 3, 3, 3]}));
    let mut network = example(masks, json!("uniform"), 1.0);
    network["switch"]["buffer_flits"] = json!(16);
    is_refused_and_stands_still(network, 3_000);
}

#[test]
fn settings_and_sizes_that_do_not_fit_are_told_by_their_place() {
    let with = |path: &str, value: Value| {
        let mut network = example(json!({"mode": "in_transit"}), json!("uniform"), 0.3);
        let (parent, field) = path.rsplit_once('/').unwrap();
        network.pointer_mut(parent).unwrap()[field] = value;
        refused(&network)
    };
    for (path, value, parts) in [
        ("/topology/p", json!(1), &["/topology/p: 1 must be 2", "port_classes.node.ports"][..]),
        ("/topology/groups", json!(12), &["/topology/groups", "must be 2 to 9"]),
        ("/switch/routing/groups", json!(5), &["/topology/groups: 9 must be at most 5"]),
        ("/adaptive/policy", json!("xyz"), &["/adaptive/policy"]),
        ("/adaptive/vc_mask_local", json!([8, 1, 1, 1]), &["/adaptive/vc_mask_local: [8,1,1,1]", "legal: 0 to 7"]),
        ("/adaptive/reply_vc_mask_local", json!([1, 1, 1, 1]), &["needs a switch with `routing.vcs.replies`"]),
        ("/adaptive/vc_mask_global", json!([0, 0, 0, 0]), &["has no way on"]),
        ("/adaptive/node_requests", json!(1), &["needs a switch with `routing.vcs.replies`"]),
        ("/adaptive/sense", json!("minimal"), &["needs a switch with `routing.adaptive.min_credits`"]),
        ("/traffic/reply_places", json!(4), &["needs `traffic.replies`", "routing.vcs.replies"]),
        ("/topology", json!({"kind": "mesh", "radix": [3]}), &["needs a Dragonfly topology"]),
        ("/algorithm", json!("up_down"), &["takes no tables from elsewhere"]),
        ("/adaptive/trigger", json!("filtered"), &["\"filtered\" needs a switch with `routing.adaptive.filter`"]),
        ("/adaptive/trigger", json!("ectn"), &["needs a switch with `routing.adaptive.ectn`"]),
        ("/adaptive/mode", json!("piggyback"), &["needs a switch with `routing.adaptive.saturation`"]),
        ("/adaptive/vc_rule", json!("random"), &["needs a switch with `routing.random_vcs`"]),
        ("/switch", json!("source16"), &["/adaptive: {\"mode\":\"in_transit\"}", "`routing.kind` is `dragonfly`"]),
    ] {
        let text = with(path, value);
        assert!(parts.iter().all(|part| text.contains(part)), "{path}: {text}");
    }
}
