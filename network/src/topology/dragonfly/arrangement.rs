//! Which global link of a group leads where.

use super::super::fault;
use super::Dragonfly;
use railyard_input::Faults;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashSet;

/// Arrangement of the global links. Link r h + j of a group is link j of its switch r.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrangement {
    /// Link i of a group leads to the group i + 1 before it: the links of the last switch lead to the groups that
    /// follow.
    #[default]
    PalmTree,
    /// The links of a group lead to the other groups in their order.
    Consecutive,
    /// Each link with its two ends, [group, switch of the group, global link of the switch].
    Listed(Vec<[GlobalEnd; 2]>),
}

/// An end of a global link. In JSON `[group, switch, link]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(from = "(usize, usize, usize)", into = "(usize, usize, usize)")]
pub struct GlobalEnd {
    /// The group.
    pub group: usize,
    /// The switch, by its number in the group.
    pub router: usize,
    /// The link, by its number at the switch.
    pub link: usize,
}

impl From<(usize, usize, usize)> for GlobalEnd {
    fn from((group, router, link): (usize, usize, usize)) -> GlobalEnd {
        GlobalEnd { group, router, link }
    }
}

impl From<GlobalEnd> for (usize, usize, usize) {
    fn from(end: GlobalEnd) -> (usize, usize, usize) {
        (end.group, end.router, end.link)
    }
}

impl Dragonfly {
    /// All global links, each once.
    pub(super) fn global_links(&self) -> Result<Vec<[GlobalEnd; 2]>, Faults> {
        match &self.arrangement {
            Arrangement::Listed(links) => self.check_list(links).map(|()| links.clone()),
            Arrangement::PalmTree | Arrangement::Consecutive => {
                self.check_trunks()?;
                let links = 0..self.trunks() * (self.groups() - 1);
                let all = (0..self.groups()).flat_map(|group| links.clone().map(move |link| (group, link)));
                let ends = all.map(|(group, link)| [(group, link), self.far_end(group, link)]);
                let once = ends.filter(|[near, far]| near.0 < far.0);
                let end = |(group, link): (usize, usize)| (group, link / self.h, link % self.h).into();
                Ok(once.map(|ends| ends.map(end)).collect())
            }
        }
    }

    /// The other end of a link of a group: group and number there. With fewer groups than links for them, each run of
    /// G - 1 links leads to all other groups once.
    fn far_end(&self, group: usize, link: usize) -> (usize, usize) {
        let others = self.groups() - 1;
        let (trunk, turn) = (link / others, link % others);
        let (far, back) = match self.arrangement {
            Arrangement::Consecutive => {
                let far = turn + usize::from(turn >= group);
                (far, group - usize::from(group > far))
            }
            _ => ((group + others - turn) % self.groups(), others - 1 - turn),
        };
        (far, trunk * others + back)
    }

    /// Parallel links must be at different switches.
    fn check_trunks(&self) -> Result<(), Faults> {
        let (links, others, trunks) = (self.a * self.h, self.groups() - 1, self.trunks());
        if trunks * others > links {
            let rule = format!("needs {} global links of a group, and it has {links}", trunks * others);
            return Err(fault("/trunks", trunks, rule, (links / others).to_string()).into());
        }
        if trunks > 1 && others < self.h {
            let rule = "puts two links between the same groups at one switch";
            let legal = format!("`trunks` of 1, {} groups or more, or a listed arrangement", self.h + 1);
            return Err(fault("/groups", self.groups(), rule, legal).into());
        }
        Ok(())
    }

    /// Listed ends exist, each is used once, and each two groups are linked.
    fn check_list(&self, links: &[[GlobalEnd; 2]]) -> Result<(), Faults> {
        let mut faults = Faults::default();
        if let Some(trunks) = self.trunks {
            faults.push_with(|| fault("/trunks", trunks, "stands beside a list of all links", "leave it out"));
        }
        let legal = || {
            let last = [self.groups(), self.a, self.h].map(|count| count - 1);
            format!("an end that is free: groups 0 to {}, switches 0 to {}, links 0 to {}", last[0], last[1], last[2])
        };
        let (mut taken, mut joined) = (HashSet::new(), HashSet::new());
        for (i, ends) in links.iter().enumerate() {
            for (e, end) in ends.iter().enumerate() {
                let exists = end.group < self.groups() && end.router < self.a && end.link < self.h;
                let rule = match exists {
                    false => "does not exist",
                    true if !taken.insert(*end) => "is linked already",
                    true if e == 1 && ends[0].group == end.group => "is in the same group as the other end",
                    true => continue,
                };
                faults.push_with(|| fault(format!("/arrangement/listed/{i}/{e}"), json!(end), rule, legal()));
            }
            joined.extend([(ends[0].group, ends[1].group), (ends[1].group, ends[0].group)]);
        }
        let mut pairs = (0..self.groups()).flat_map(|a| (0..a).map(move |b| (b, a)));
        if let Some((near, far)) = pairs.find(|pair| !joined.contains(pair)) {
            let rule = format!("has no link between groups {near} and {far}");
            let value = format!("{} links", links.len());
            faults.push_with(|| fault("/arrangement/listed", value, rule, "a link between each two groups"));
        }
        match faults.is_empty() {
            true => Ok(()),
            false => Err(faults),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fly(arrangement: Arrangement, groups: Option<usize>) -> Dragonfly {
        Dragonfly { groups, arrangement, ..Dragonfly::new(2, 4, 2) }
    }

    /// Link i of group g leads to group g - i - 1, and is link G - 2 - i there: at both ends, and also with fewer
    /// groups.
    #[test]
    fn palm_trees_follow_the_formula_at_both_ends() {
        for (groups, trunks) in [(9, 1), (5, 2), (4, 2), (3, 4), (7, 1)] {
            let fly = fly(Arrangement::PalmTree, Some(groups));
            assert_eq!(fly.trunks(), trunks);
            let links = fly.global_links().unwrap();
            assert_eq!(links.len(), trunks * groups * (groups - 1) / 2);
            for [near, far] in links {
                for (end, other) in [(near, far), (far, near)] {
                    let [i, back] = [end, other].map(|end| end.router * 2 + end.link);
                    let (q, turn) = (i / (groups - 1), i % (groups - 1));
                    assert_eq!(other.group, (end.group + groups - turn - 1) % groups, "{end:?} of {groups} groups");
                    assert_eq!(back, q * (groups - 1) + groups - 2 - turn);
                }
            }
        }
    }

    /// The last switch leads to the groups that follow, the first one to those before.
    #[test]
    fn groups_next_to_a_group_hang_at_its_outer_switches() {
        let links = fly(Arrangement::PalmTree, None).global_links().unwrap();
        let owner = |from: usize, to: usize| {
            let ends = links.iter().flat_map(|[near, far]| [(near, far), (far, near)]);
            ends.filter(|(end, far)| end.group == from && far.group == to).map(|(end, _)| end.router).next().unwrap()
        };
        assert_eq!([owner(3, 4), owner(3, 5), owner(3, 2), owner(3, 1)], [3, 3, 0, 0]);
    }

    #[test]
    fn consecutive_links_lead_to_the_other_groups_in_order() {
        for (groups, trunks) in [(9, 1), (5, 2), (3, 4)] {
            let fly = fly(Arrangement::Consecutive, Some(groups));
            let mut led: Vec<Vec<(usize, usize)>> = vec![Vec::new(); groups];
            for [near, far] in fly.global_links().unwrap() {
                led[near.group].push((near.router * 2 + near.link, far.group));
                led[far.group].push((far.router * 2 + far.link, near.group));
            }
            for (group, mut links) in led.into_iter().enumerate() {
                links.sort_unstable();
                let others = (0..groups).filter(|&other| other != group);
                let expected: Vec<usize> = (0..trunks).flat_map(|_| others.clone()).collect();
                assert_eq!(links.into_iter().map(|(_, far)| far).collect::<Vec<_>>(), expected);
            }
        }
    }

    #[test]
    fn parallel_links_are_at_switches_of_their_own() {
        for arrangement in [Arrangement::PalmTree, Arrangement::Consecutive] {
            for groups in 3..=9 {
                let mut seen = HashSet::new();
                for [near, far] in fly(arrangement.clone(), Some(groups)).global_links().unwrap() {
                    assert!(seen.insert((near.group, near.router, far.group)), "{groups} groups: {near:?}");
                    assert!(seen.insert((far.group, far.router, near.group)), "{groups} groups: {far:?}");
                }
            }
        }
        let faults = fly(Arrangement::PalmTree, Some(2)).global_links().unwrap_err();
        assert!(faults.to_string().contains("two links between the same groups at one switch"), "{faults}");
        let one = Dragonfly { trunks: Some(1), ..fly(Arrangement::PalmTree, Some(2)) };
        assert_eq!(one.global_links().unwrap().len(), 1);
        let many = Dragonfly { trunks: Some(3), ..fly(Arrangement::PalmTree, Some(5)) };
        assert!(many.global_links().unwrap_err().to_string().starts_with("/trunks"));
    }

    #[test]
    fn lists_are_checked_link_by_link() {
        let list = |links: &[[(usize, usize, usize); 2]]| {
            let links = links.iter().map(|ends| ends.map(GlobalEnd::from)).collect();
            fly(Arrangement::Listed(links), Some(3)).global_links()
        };
        let whole = [[(0, 0, 0), (1, 3, 1)], [(0, 1, 0), (2, 0, 0)], [(1, 0, 0), (2, 1, 1)]];
        assert_eq!(list(&whole).unwrap().len(), 3);
        let faults = list(&[[(0, 0, 0), (1, 4, 0)], [(0, 0, 0), (0, 1, 0)]]).unwrap_err().to_string();
        for part in
            ["/arrangement/listed/0/1", "does not exist", "is linked already", "same group", "between groups 0 and 2"]
        {
            assert!(faults.contains(part), "{part}: {faults}");
        }
    }
}
