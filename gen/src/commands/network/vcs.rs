//! `railyard network vcs`: which virtual channels the hops of a Dragonfly may use.

use super::summary::proof;
use crate::cli::NetworkVcsArgs;
use crate::table::{columns, two_columns};
use crate::{answer, Error, Outcome};
use railyard_input::InputSource;
use railyard_network::check::{adaptive_deadlock, AdaptiveRouting, Choices, Proven, SourceChoice};
use railyard_network::topology::Topology;
use railyard_spec::legal::{routings, Letter, Masks, PacketClass, Reference, ReferenceError, CASES};
use railyard_spec::misrouting::Policy;
use serde_json::{json, Value};

/// Where the hop of a case leads.
const LEADS_TO: [&str; 4] = [
    "the destination's switch",
    "the destination's group",
    "the owner of the minimal global link",
    "anywhere else, or on to a via",
];

/// Shows the legal VCs of each case, and the routings that they support.
///
/// # Errors
/// The letters are no reference sequence, or there are too few VCs for them; the network is no Dragonfly, or can stand
/// still.
pub fn run(args: &NetworkVcsArgs) -> Result<Outcome, Error> {
    let reference = reference(args)?;
    let masks = Masks::of_dragonfly(&reference);
    let proven = args.network.as_ref().map(|file| prove(args, file, &reference, &masks)).transpose()?;
    if args.json {
        let deadlock = proven.map(|Proven { states, choices_close_rings }| {
            json!({"free": true, "states": states, "choices_close_rings": choices_close_rings})
        });
        let mut answer = as_json(&reference, &masks);
        answer.as_object_mut().expect("it is one").extend(deadlock.map(|deadlock| ("deadlock".into(), deadlock)));
        answer::json(&answer)?;
    } else {
        let [cases, supported] = [cases(&reference, &masks), supported(&reference)].map(|rows| columns(&rows));
        let proof = proven.map(|proven| two_columns(&proof(proven)));
        let parts = [two_columns(&sizes(&reference)), cases, supported].into_iter().chain(proof);
        answer::text(&parts.collect::<Vec<String>>().join("\n"))?;
    }
    Ok(Outcome::Fine)
}

/// Follows all choices of packets in a network.
fn prove(args: &NetworkVcsArgs, file: &InputSource, reference: &Reference, masks: &Masks) -> Result<Proven, Error> {
    let bad = |why: &str| Error::Usage(format!("--network {file}: {why}"));
    let input = super::read(file)?;
    let Topology::Dragonfly(fly) = &input.description.topology else { return Err(bad("is no Dragonfly")) };
    let valiant =
        args.valiant.as_deref().map(|via| if via == "group" { SourceChoice::Group } else { SourceChoice::Switch });
    let policy = args.in_transit.as_deref().and_then(Policy::named);
    if (valiant.is_some() || policy.is_some()) && !masks.allow_detours(PacketClass::Request) {
        return Err(bad("no hop off the minimal way has a virtual channel; the shortest sequence with some is lglgl"));
    }
    let replies = reference.has_replies();
    let choices = Choices { valiant, policy, local_detour: policy.is_some(), replies, ..Choices::MINIMAL };
    let adaptive = AdaptiveRouting { fly, wiring: &input.blueprint.wiring, reference, masks, choices };
    adaptive_deadlock(&adaptive).map_err(|fault| bad(&fault.to_string()))
}

fn reference(args: &NetworkVcsArgs) -> Result<Reference, Error> {
    let bad = |option: &str, error: ReferenceError| Error::Usage(format!("{option}: {error}"));
    Reference::new(&args.requests, "").map_err(|error| bad("REQUESTS", error))?;
    let both = Reference::new(&args.requests, &args.replies).map_err(|error| bad("--replies", error))?;
    let vcs = [args.local, args.global];
    let vcs = Letter::ALL.map(|letter| vcs[letter as usize].unwrap_or_else(|| both.vcs(letter)));
    both.widened(vcs).map_err(|error| match error {
        ReferenceError::TooFew { letter: Letter::Local, .. } => bad("--local", error),
        _ => bad("--global", error),
    })
}

/// Classes of packets that there are, with their names.
fn classes(reference: &Reference) -> Vec<(PacketClass, &'static str)> {
    let all = [(PacketClass::Request, "requests"), (PacketClass::Reply, "replies")];
    all.into_iter().take(1 + usize::from(reference.has_replies())).collect()
}

fn sizes(reference: &Reference) -> Vec<(&'static str, String)> {
    let [local, global] = Letter::ALL.map(|letter| reference.vcs(letter));
    vec![("sequence", reference.to_string()), ("virtual channels", format!("{local} local, {global} global"))]
}

/// The VCs of a mask, which are the lowest ones.
fn vcs(mask: u16) -> String {
    let set: Vec<String> = (0..16).filter(|vc| mask >> vc & 1 == 1).map(|vc: u32| vc.to_string()).collect();
    match &set[..] {
        [] => "none".into(),
        [one] => one.clone(),
        [first, .., last] => format!("{first} to {last}"),
    }
}

fn cases(reference: &Reference, masks: &Masks) -> Vec<Vec<String>> {
    let classes = classes(reference);
    let heads = ["case", "the hop leads to", "behind it"].map(String::from).into_iter();
    let of_class = |(_, name): &(PacketClass, &str)| match classes.len() {
        1 => ["local VCs".to_string(), "global VCs".to_string()],
        _ => Letter::ALL.map(|letter| format!("{} {name}", letter.char())),
    };
    let mut rows = vec![heads.chain(classes.iter().flat_map(of_class)).collect()];
    for (case, rest) in CASES.iter().enumerate() {
        let rest: Vec<String> = rest.iter().map(|letter| letter.char().to_string()).collect();
        let rest = if rest.is_empty() { "none".into() } else { rest.join(" ") };
        let mut row = vec![case.to_string(), LEADS_TO[case].into(), rest];
        row.extend(
            classes.iter().flat_map(|(class, _)| Letter::ALL.map(|letter| vcs(masks.get(*class, letter, case)))),
        );
        rows.push(row);
    }
    rows
}

fn supported(reference: &Reference) -> Vec<Vec<String>> {
    let classes = classes(reference);
    let sequence = |class| if class == PacketClass::Request { reference.of_requests() } else { reference.letters() };
    let names = classes.iter().map(|(_, name)| if classes.len() == 1 { "support".into() } else { name.to_string() });
    let mut rows = vec![std::iter::once("routing".to_string()).chain(names).collect()];
    rows.extend(routings().iter().map(|routing| {
        let support = classes.iter().map(|(class, _)| routing.support(sequence(*class)).name().to_string());
        std::iter::once(routing.name.to_string()).chain(support).collect()
    }));
    rows
}

fn as_json(reference: &Reference, masks: &Masks) -> Value {
    let of_class = |(class, name): (PacketClass, &str)| {
        let sequence = if class == PacketClass::Request { reference.of_requests() } else { reference.letters() };
        let by_case = |letter| -> Vec<u16> { (0..CASES.len()).map(|case| masks.get(class, letter, case)).collect() };
        let support: serde_json::Map<String, Value> =
            routings().iter().map(|routing| (routing.name.into(), routing.support(sequence).name().into())).collect();
        json!({"class": name, "local_masks": by_case(Letter::Local), "global_masks": by_case(Letter::Global),
            "routings": support})
    };
    let letters = |letters: &[Letter]| letters.iter().map(|letter| letter.char()).collect::<String>();
    json!({
        "requests": letters(reference.of_requests()),
        "replies": letters(&reference.letters()[reference.of_requests().len()..]),
        "virtual_channels": {"local": reference.vcs(Letter::Local), "global": reference.vcs(Letter::Global)},
        "cases": LEADS_TO,
        "classes": classes(reference).into_iter().map(of_class).collect::<Vec<Value>>(),
        "vc_mask": masks.words(),
    })
}
