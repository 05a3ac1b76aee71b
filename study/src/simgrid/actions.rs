//! A time-independent trace of SimGrid: the actions of each rank, a line each.

use crate::jobs::{JobPhase, Round};
use std::fmt::Write;

/// Tags are told apart among messages under way; MPI grants fewer than SimGrid has.
const TAGS: usize = 1 << 15;

/// A pass of a phase. In a round a rank computes, sends all, and waits for all that it gets. The computation is spread
/// evenly over ranks, and over the rounds in which a rank sends.
pub fn actions(phase: &JobPhase, ranks: usize) -> String {
    let mut sending = vec![0u64; ranks];
    for round in &phase.rounds {
        senders(round).for_each(|rank| sending[rank as usize] += 1);
    }
    let share = phase.operations / ranks as f64;
    let mut lines: Vec<String> = (0..ranks).map(|rank| format!("{rank} init\n")).collect();
    let mut tag = 0;
    for round in &phase.rounds {
        if share > 0.0 {
            for rank in senders(round) {
                let operations = share / sending[rank as usize] as f64;
                write(&mut lines[rank as usize], format_args!("{rank} compute {operations:.0}"));
            }
        }
        add(&mut lines, round, &mut tag);
    }
    (0..ranks).for_each(|rank| write(&mut lines[rank], format_args!("{rank} finalize")));
    lines.concat()
}

/// The ranks that send in a round, ascending.
fn senders(round: &Round) -> impl Iterator<Item = u64> {
    let senders: std::collections::BTreeSet<u64> = round.messages.iter().map(|(from, _)| *from).collect();
    senders.into_iter()
}

/// A round: first all is sent, then all that comes is asked for, then both are waited for.
fn add(lines: &mut [String], round: &Round, tag: &mut usize) {
    let bytes = round.bytes;
    let tagged: Vec<(u64, u64, usize)> = round.messages.iter().map(|&(from, to)| (from, to, next(tag))).collect();
    for &(from, to, tag) in &tagged {
        write(&mut lines[from as usize], format_args!("{from} isend {to} {tag} {bytes}"));
    }
    for &(from, to, tag) in &tagged {
        write(&mut lines[to as usize], format_args!("{to} irecv {from} {tag} {bytes}"));
    }
    for (from, to, tag) in tagged {
        write(&mut lines[to as usize], format_args!("{to} wait {from} {to} {tag}"));
        write(&mut lines[from as usize], format_args!("{from} wait {from} {to} {tag}"));
    }
}

fn next(tag: &mut usize) -> usize {
    *tag = (*tag + 1) % TAGS;
    *tag
}

fn write(lines: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(lines, "{line}").expect("writing to a string succeeds");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two ranks exchange, then one sends: all is asked for before anything is waited for.
    #[test]
    fn a_rank_sends_before_it_waits() {
        let rounds = [vec![(0, 1), (1, 0)], vec![(0, 1)]].map(|messages| Round { messages, bytes: 8 });
        let phase = JobPhase { operations: 400.0, ..JobPhase::new(1, rounds.into()) };
        let text = actions(&phase, 2);
        let of = |rank: &str| text.lines().filter_map(|line| line.strip_prefix(rank)).collect::<Vec<_>>().join(",");
        assert_eq!(
            of("0 "),
            "init,compute 100,isend 1 1 8,irecv 1 2 8,wait 0 1 1,wait 1 0 2,compute 100,isend 1 3 8,wait 0 1 3,finalize"
        );
        assert_eq!(
            of("1 "),
            "init,compute 200,isend 0 2 8,irecv 0 1 8,wait 0 1 1,wait 1 0 2,irecv 0 3 8,wait 0 1 3,finalize"
        );
    }
}
