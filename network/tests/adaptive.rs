//! Deadlock of adaptive routing, as far as masks and choices decide it: what is proven free of it, and the controls
//! that are not.

use railyard_network::check::{
    adaptive_deadlock, AdaptiveFault, AdaptiveRouting, Choices, Proven, SourceChoice, WaitingPlace,
};
use railyard_network::topology::{Arrangement, Dragonfly, Topology};
use railyard_network::wiring::Port;
use railyard_spec::legal::{Letter, Masks, PacketClass, Reference};
use railyard_spec::misrouting::Policy;

fn reference(requests: &str, replies: &str) -> Reference {
    Reference::new(requests, replies).unwrap()
}

fn balanced(h: usize) -> Dragonfly {
    Dragonfly::new(h, 2 * h, h)
}

/// In transit, with local detours.
fn in_transit(policy: Policy) -> Choices {
    Choices { policy: Some(policy), local_detour: true, ..Choices::MINIMAL }
}

fn check_with(
    fly: &Dragonfly,
    reference: &Reference,
    masks: &Masks,
    choices: Choices,
) -> Result<Proven, AdaptiveFault> {
    let wiring = Topology::Dragonfly(fly.clone()).wiring(16).unwrap();
    adaptive_deadlock(&AdaptiveRouting { fly, wiring: &wiring, reference, masks, choices })
}

fn check(fly: &Dragonfly, reference: &Reference, choices: Choices) -> Result<Proven, AdaptiveFault> {
    check_with(fly, reference, &Masks::of_dragonfly(reference), choices)
}

/// Each policy and each decision at the source, on the sequences that support them. Choices close rings where hops are
/// opportunistic.
#[test]
fn every_legal_choice_is_free_of_deadlock() {
    for h in [1, 2] {
        for policy in Policy::ALL {
            for sequence in ["lglgl", "lgllgl", "llgllgl"] {
                let proven = check(&balanced(h), &reference(sequence, ""), in_transit(policy));
                assert!(proven.as_ref().is_ok_and(|proven| proven.states > 20), "{policy:?} {sequence}: {proven:?}");
            }
        }
    }
    for (via, sequence) in
        [(SourceChoice::Group, "lglgl"), (SourceChoice::Switch, "lglgl"), (SourceChoice::Switch, "lgllgl")]
    {
        for policy in [None, Some(Policy::Mixed)] {
            let choices = Choices { valiant: Some(via), policy, local_detour: true, ..Choices::MINIMAL };
            check(&balanced(2), &reference(sequence, ""), choices).unwrap();
        }
    }
}

#[test]
fn rings_among_choices_are_told_and_are_no_fault() {
    let fly = balanced(2);
    let rings = |sequence, choices| check(&fly, &reference(sequence, ""), choices).unwrap().choices_close_rings;
    // The last local hop may use the VC of the first one. Without that, choices are those of distance-based VCs.
    assert!(rings("lgl", Choices::MINIMAL));
    let lgl = reference("lgl", "");
    let mut masks = Masks::of_dragonfly(&lgl);
    masks.set(PacketClass::Request, Letter::Local, 0, 0b10);
    assert!(!check_with(&fly, &lgl, &masks, Choices::MINIMAL).unwrap().choices_close_rings);
    assert!(rings("lglgl", in_transit(Policy::Mixed)));
    assert!(rings("llgllgl", in_transit(Policy::Any)));
}

/// Groups are followed one by one where they do not look alike, or where links are missing.
#[test]
fn other_arrangements_and_missing_trunks() {
    let lglgl = reference("lglgl", "");
    for (groups, arrangement) in
        [(9, Arrangement::Consecutive), (4, Arrangement::PalmTree), (5, Arrangement::Consecutive)]
    {
        let fly = Dragonfly { groups: Some(groups), arrangement, ..balanced(2) };
        check(&fly, &lglgl, in_transit(Policy::Any)).unwrap();
    }
    let fly = Dragonfly { groups: Some(4), ..balanced(2) };
    let mut wiring = Topology::Dragonfly(fly.clone()).wiring(8).unwrap();
    wiring.cut(Port { switch: 0, port: fly.global_port(0) }).unwrap();
    let masks = Masks::of_dragonfly(&lglgl);
    let choices = in_transit(Policy::Mixed);
    adaptive_deadlock(&AdaptiveRouting { fly: &fly, wiring: &wiring, reference: &lglgl, masks: &masks, choices })
        .unwrap();
}

/// By symmetry one group stands for all: the proof is the same without it.
#[test]
fn symmetry_hides_nothing() {
    let fly = balanced(1);
    let wiring = Topology::Dragonfly(fly.clone()).wiring(4).unwrap();
    let list = wiring.links().filter(|(near, _)| near.port >= fly.global_port(0));
    let end = |at: Port| (at.switch / fly.a, at.switch % fly.a, at.port - fly.global_port(0)).into();
    let listed = Arrangement::Listed(list.map(|(near, far)| [end(near), end(far)]).collect());
    let listed = Dragonfly { arrangement: listed, ..fly.clone() };
    for (sequence, masked) in [("lglgl", false), ("llgllgl", false), ("lglgl", true)] {
        let reference = reference(sequence, "");
        let masks = if masked { Masks::all(&reference, 4) } else { Masks::of_dragonfly(&reference) };
        let [one, all] = [&fly, &listed].map(|fly| check_with(fly, &reference, &masks, in_transit(Policy::Any)));
        match (one, all) {
            (Ok(one), Ok(all)) => {
                assert_eq!(all.states, one.states * fly.groups());
                assert_eq!(all.choices_close_rings, one.choices_close_rings);
            }
            (one, all) => assert_eq!(one, all),
        }
    }
}

fn ring(result: Result<Proven, AdaptiveFault>) -> Vec<WaitingPlace> {
    match result {
        Err(AdaptiveFault::Ring(ring)) => ring,
        other => panic!("{other:?}"),
    }
}

/// Control: masks that allow every VC have no escape that rises.
#[test]
fn masks_that_allow_every_vc_are_refused() {
    let lglgl = reference("lglgl", "");
    let fault = check_with(&balanced(2), &lglgl, &Masks::all(&lglgl, 4), in_transit(Policy::Mixed));
    let ring = ring(fault.clone());
    assert!(ring.len() > 1 && ring.iter().all(|place| matches!(place, WaitingPlace::Link(_))));
    assert!(fault.unwrap_err().to_string().starts_with("deadlock: switch "));
}

/// Control: without an escape, a detoured packet waits for the global links of its switch. Their only VC for that can
/// be below its own: of `llgllgl` a detour may take the local VC behind the first global one.
#[test]
fn a_detour_without_escape_can_stand_still() {
    let choices = in_transit(Policy::Mixed);
    let without = Choices { escapes: false, ..choices };
    for sequence in ["gllgl", "llgllgl"] {
        let reference = reference(sequence, "");
        check(&balanced(2), &reference, choices).unwrap();
        assert!(ring(check(&balanced(2), &reference, without)).len() > 1, "{sequence}");
    }
    // Here a detour has one local VC, and it stands before the global one.
    check(&balanced(2), &reference("lglgl", ""), without).unwrap();
}

/// Control: a VC without room of its own in a shared buffer waits for all others of the link.
#[test]
fn shared_buffers_need_room_for_each_vc_that_escapes_climb_to() {
    let lglgl = reference("lglgl", "");
    let with = |local| Choices { reserved: [local, u16::MAX], ..in_transit(Policy::Mixed) };
    check(&balanced(2), &lglgl, with(0b111)).unwrap();
    // Only nodes send to local VC 0.
    check(&balanced(2), &lglgl, with(0b110)).unwrap();
    for local in [0, 0b101] {
        ring(check(&balanced(2), &lglgl, with(local)));
    }
}

/// Controls: replies on the sequence of requests, and one VC of nodes for both classes.
#[test]
fn replies_need_letters_and_node_vcs_of_their_own() {
    let choices = Choices { replies: true, ..in_transit(Policy::Mixed) };
    let both = reference("lglgl", "lgl");
    check(&balanced(2), &both, choices).unwrap();
    let shared = ring(check(&balanced(2), &reference("lglgl", ""), choices));
    assert!(shared.iter().any(|place| matches!(place, WaitingPlace::ToNodes { .. })), "{shared:?}");
    let one_vc = ring(check(&balanced(2), &both, Choices { replies_from_nodes: false, ..choices }));
    assert!(one_vc.iter().any(|place| matches!(place, WaitingPlace::FromNodes { .. })), "{one_vc:?}");
    let valiant = Choices { valiant: Some(SourceChoice::Switch), policy: None, ..choices };
    check(&balanced(2), &both, valiant).unwrap();
}

#[test]
fn a_state_without_a_way_on_is_named() {
    let lgl = reference("lgl", "");
    let mut masks = Masks::of_dragonfly(&lgl);
    masks.set(PacketClass::Request, Letter::Local, 0, 0);
    let error = check_with(&balanced(2), &lgl, &masks, Choices::MINIMAL).unwrap_err().to_string();
    assert!(error.contains("has no way on") && error.starts_with("packet (request) for switch "), "{error}");
}

/// A network of 264 switches.
#[test]
fn a_larger_dragonfly_takes_seconds() {
    let proven = check(&balanced(4), &reference("lglgl", ""), in_transit(Policy::Mixed)).unwrap();
    assert!(proven.states > 10_000, "{proven:?}");
}
