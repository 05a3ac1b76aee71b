//! Tables 5.1 to 5.4 of Fuentes2017, cell by cell, and the sequences of the baselines.

use super::Letter::{Global as G, Local as L};
use super::*;

fn reference(requests: &str, replies: &str) -> Reference {
    Reference::new(requests, replies).unwrap()
}

/// Ways of a network of diameter two: Valiant, and in transit after a minimal hop, with the hops left behind each hop
/// in the worst case.
fn of_diameter_two() -> [Vec<usize>; 3] {
    [vec![1, 0], vec![2, 2, 1, 0], vec![1, 2, 2, 1, 0]]
}

fn cell(sequence: &[Letter], left: &[usize]) -> Support {
    let rests: Vec<Vec<Letter>> = left.iter().map(|&hops| vec![L; hops]).collect();
    let hops: Vec<(Letter, &[Letter])> = rests.iter().map(|rest| (L, rest.as_slice())).collect();
    support(sequence, &hops)
}

/// The words of the tables.
fn word(text: &str) -> Support {
    match text {
        "safe" => Support::Safe,
        "opp" => Support::Opportunistic,
        "X" => Support::None,
        _ => panic!("{text}"),
    }
}

#[test]
fn table_5_1_vcs_of_a_network_of_diameter_two() {
    let table = [["safe", "safe", "safe", "safe"], ["X", "opp", "safe", "safe"], ["X", "opp", "opp", "safe"]];
    for (row, left) in table.iter().zip(of_diameter_two()) {
        for (text, vcs) in row.iter().zip(2..) {
            assert_eq!(cell(&vec![L; vcs], &left), word(text), "{left:?} with {vcs} VCs");
        }
    }
}

/// The cells are those of requests; replies, which may use all VCs, are never worse.
#[test]
fn table_5_2_requests_and_replies_in_a_network_of_diameter_two() {
    let columns = [(2, 2), (3, 2), (3, 3), (4, 4), (5, 5)];
    let table = [
        ["safe", "safe", "safe", "safe", "safe"],
        ["X", "opp", "opp", "safe", "safe"],
        ["X", "opp", "opp", "opp", "safe"],
    ];
    for (row, left) in table.iter().zip(of_diameter_two()) {
        for (text, (requests, replies)) in row.iter().zip(columns) {
            let reference = reference(&"l".repeat(requests), &"l".repeat(replies));
            assert_eq!(cell(reference.of_requests(), &left), word(text), "{left:?} with {requests} + {replies}");
            assert!(cell(reference.letters(), &left) >= word(text), "replies, {left:?} with {requests} + {replies}");
        }
    }
}

/// Rows of the tables for the Dragonfly: minimal, Valiant to a switch, in transit.
fn rows() -> [Routing; 3] {
    let [minimal, _, valiant, in_transit] = routings();
    [minimal, valiant, in_transit]
}

#[test]
fn table_5_3_local_and_global_vcs_of_a_dragonfly() {
    let columns: [&[&str]; 5] = [&["lgl"], &["llgl", "glgl"], &["lglgl"], &["lgllgl"], &["llgllgl"]];
    let table =
        [["safe", "safe", "safe", "safe", "safe"], ["X", "X", "opp", "safe", "safe"], ["X", "X", "opp", "opp", "safe"]];
    for (row, routing) in table.iter().zip(rows()) {
        for (text, sequences) in row.iter().zip(columns) {
            for sequence in sequences {
                let got = routing.support(reference(sequence, "").letters());
                assert_eq!(got, word(text), "{} with {sequence}", routing.name);
            }
        }
    }
}

/// A cell with two words has those of requests and of replies. A cell with one word has that of requests; replies are
/// never worse.
#[test]
fn table_5_4_requests_and_replies_in_a_dragonfly() {
    let columns = [("lgl", "lgl"), ("lglgl", "lgl"), ("lgllgl", "lgllgl"), ("llgllgl", "llgllgl")];
    let table = [
        [("safe", None), ("safe", None), ("safe", None), ("safe", None)],
        [("X", Some("opp")), ("opp", None), ("safe", None), ("safe", None)],
        [("X", Some("opp")), ("opp", None), ("opp", None), ("safe", None)],
    ];
    for (row, routing) in table.iter().zip(rows()) {
        for ((requests, replies), (first, second)) in row.iter().zip(columns) {
            let reference = reference(first, second);
            let name = format!("{} with {first} + {second}", routing.name);
            assert_eq!(routing.support(reference.of_requests()), word(requests), "{name}");
            let of_replies = routing.support(reference.letters());
            match replies {
                // The one cell that the table has otherwise: `lgl` + `lgl` is the safe sequence of Valiant, letter by
                // letter.
                Some(_) if routing.name == rows()[1].name => assert_eq!(of_replies, Support::Safe, "{name}"),
                Some(replies) => assert_eq!(of_replies, word(replies), "{name}"),
                None => assert!(of_replies >= word(requests), "{name}"),
            }
        }
    }
}

/// Hops of a baseline routing, with cases, and the VCs that the rule `next` must give, as indices.
fn climbs(sequence: &str, hops: &[(Letter, usize)], expected: &[usize]) {
    let reference = reference(sequence, "");
    let masks = Masks::of_dragonfly(&reference);
    let (mut came, mut indices) = (None, Vec::new());
    for &(letter, case) in hops {
        let vc =
            reference.next(PacketClass::Request, came, letter, masks.get(PacketClass::Request, letter, case)).unwrap();
        indices.push(reference.index(letter, vc).unwrap());
        came = Some((letter, vc));
    }
    assert_eq!(indices, expected, "{sequence}");
}

#[test]
fn the_rule_next_gives_the_sequences_of_distance_based_vcs() {
    let [minimal, to_group, valiant, in_transit] = routings().map(|routing| routing.hops);
    climbs("lgl", minimal, &[0, 1, 2]);
    climbs("lgllgl", valiant, &[0, 1, 2, 3, 4, 5]);
    climbs("llgllgl", in_transit, &[0, 1, 2, 3, 4, 5, 6]);
    climbs("lglgl", in_transit, &[0, 0, 1, 0, 2, 3, 4]);
    climbs("lglgl", to_group, &[0, 1, 2, 3, 4]);
}

#[test]
fn masks_of_the_example_and_their_places() {
    let reference = reference("lglgl", "lgl");
    assert_eq!((reference.vcs(L), reference.vcs(G)), (5, 3));
    assert_eq!(reference.to_string(), "l0 g1 l2 g3 l4 | l5 g6 l7");
    let masks = Masks::of_dragonfly(&reference);
    let of = |class, letter| [0, 1, 2, 3].map(|case| masks.get(class, letter, case));
    assert_eq!(of(PacketClass::Request, L), [0b111, 0b011, 0b011, 0b001]);
    assert_eq!(of(PacketClass::Request, G), [0b11, 0b11, 0b01, 0b01]);
    assert_eq!(of(PacketClass::Reply, L), [0b11111, 0b01111, 0b01111, 0b00111]);
    assert_eq!(of(PacketClass::Reply, G), [0b111, 0b111, 0b011, 0b011]);
    assert_eq!(masks.words().len(), 16);
    assert_eq!(masks.place(PacketClass::Reply, G, 3), 15);
    assert_eq!(masks.words()[masks.place(PacketClass::Reply, L, 0)], 0b11111);
    // A reply starts on its own letters, and a request anywhere.
    let start = |class| reference.next(class, None, L, masks.get(class, L, 2));
    assert_eq!(PacketClass::ALL.map(start), [Some(0), Some(3)]);
    assert!(PacketClass::ALL.into_iter().all(|class| masks.allow_detours(class)));
    assert!(!Masks::of_dragonfly(&self::reference("lgl", "")).allow_detours(PacketClass::Request));
}

/// All lower VCs of a class are legal, too: a mask is a number of VCs.
#[test]
fn masks_have_no_gaps() {
    for sequence in ["lgl", "llgl", "glgl", "lglgl", "lgllgl", "llgllgl", "gglllglgl"] {
        for word in Masks::of_dragonfly(&reference(sequence, "lgl")).words() {
            assert!((word + 1).is_power_of_two(), "{sequence}: {word:b}");
        }
    }
}

#[test]
fn further_vcs_stand_in_front() {
    let widened = |sequence: &str, vcs| {
        let all = reference(sequence, "").widened(vcs).unwrap();
        all.letters().iter().map(|letter| letter.char()).collect::<String>()
    };
    assert_eq!(widened("lgl", [2, 1]), "lgl");
    assert_eq!(widened("lgl", [4, 2]), "lgllgl");
    assert_eq!(widened("lgl", [8, 4]), "lgl".repeat(4));
    assert_eq!(widened("lglgl", [3, 4]), "gglglgl");
    assert_eq!(widened("ll", [3, 1]), "gl".to_string() + "ll");
    let replies = reference("lgl", "lgl").widened([5, 2]).unwrap();
    assert_eq!(replies.to_string(), "l0 l1 g2 l3 | l4 g5 l6");
    let error = reference("lglgl", "").widened([2, 2]).unwrap_err();
    assert_eq!(error, ReferenceError::TooFew { letter: L, letters: 3, vcs: 2 });
    assert_eq!(Reference::new("lxl", ""), Err(ReferenceError::NoLetter('x')));
    assert_eq!(Reference::new("", "l"), Err(ReferenceError::Empty));
    let long = Reference::new(&"l".repeat(MAX_VCS + 1), "");
    assert_eq!(long, Err(ReferenceError::TooMany { letter: L, letters: MAX_VCS + 1 }));
}

/// In a HyperX the cases are the hops left. The rule counts up, as distance-based VCs do.
#[test]
fn hops_of_a_hyperx_climb_too() {
    let reference = reference("lll", "");
    let masks = Masks::new(&reference, &cases_of_hops(2));
    assert_eq!([0, 1, 2].map(|case| masks.get(PacketClass::Request, L, case)), [0b111, 0b011, 0b001]);
    let mut came = None;
    for (case, expected) in [(2, 0), (1, 1), (0, 2)] {
        let vc = reference.next(PacketClass::Request, came, L, masks.get(PacketClass::Request, L, case)).unwrap();
        assert_eq!(vc, expected);
        came = Some((L, vc));
    }
    assert_eq!(reference.above(PacketClass::Request, came, L, 0b111), None);
    assert_eq!(reference.next(PacketClass::Request, came, L, 0b011), Some(1));
    assert_eq!(reference.next(PacketClass::Request, came, L, 0), None);
    assert_eq!(Masks::all(&reference, 3).get(PacketClass::Reply, L, 2), 0b111);
}
