//! Meshes and tori by their coordinates, however their switches are numbered and their nodes wired: dimension-order
//! routing, lowest dimension first; along the dimensions that wrap around with the dateline rule of Dally and Seitz.

use crate::tables::{Hop, Tables};
use crate::wiring::{Peer, Port, Wiring};
use railyard_spec::Shape;

/// A dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dimension {
    /// Switches along it.
    pub radix: usize,
    /// The last one is linked to the first one.
    pub wraps: bool,
    /// The ports that lead in plus and in minus direction, at all switches.
    pub ports: [usize; 2],
}

/// A mesh, a torus, or a mixture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    pub(super) dimensions: Vec<Dimension>,
    /// Coordinates of each switch.
    pub(super) places: Vec<Vec<usize>>,
}

/// A wiring is neither mesh nor torus.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("needs a mesh or torus, whose dimensions have ports of their own: {0}")]
pub struct NoGrid(String);

impl NoGrid {
    pub(super) fn new(why: &str) -> NoGrid {
        NoGrid(why.into())
    }
}

/// A way in one dimension.
struct Way {
    plus: bool,
    /// It leads over the wrap-around link.
    crosses: bool,
}

impl Dimension {
    /// From one coordinate to another. Of two ways of equal length, even coordinates take plus and odd ones minus.
    fn way(&self, from: usize, to: usize) -> Way {
        let k = self.radix;
        let ahead = (to + k - from) % k;
        let plus = if self.wraps { 2 * ahead + from % 2 <= k } else { to > from };
        Way { plus, crosses: self.wraps && plus != (to > from) }
    }

    /// The VC of a pair on which a packet takes the next link of a way; `None` is any, its own. A packet that crosses
    /// takes the second VC up to the wrap-around link, and the first one from that link on.
    fn vc(&self, way: &Way, at: usize) -> Option<usize> {
        let last = if way.plus { self.radix - 1 } else { 0 };
        way.crosses.then_some(usize::from(at != last))
    }

    /// The coordinates next to one in plus and in minus direction, where there are any.
    fn beside(&self, at: usize) -> [Option<usize>; 2] {
        let last = self.radix - 1;
        let plus = if at < last { Some(at + 1) } else { self.wraps.then_some(0) };
        let minus = if at > 0 { Some(at - 1) } else { self.wraps.then_some(last) };
        [plus, minus]
    }
}

impl Grid {
    /// Finds the dimensions of a wiring by its ports: the links of a dimension lead from one port, plus, to another
    /// one, minus, at all switches; plus is the lower of the two. Dimensions are in the order of these ports.
    ///
    /// # Errors
    /// The links are not those of a mesh or torus.
    pub fn of(wiring: &Wiring) -> Result<Grid, NoGrid> {
        let found = pairs(wiring)?.into_iter().map(|ports| dimension(wiring, ports));
        let (dimensions, start): (Vec<Dimension>, Vec<usize>) =
            found.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        let switches = dimensions.iter().try_fold(1usize, |product, dimension| product.checked_mul(dimension.radix));
        if switches != Some(wiring.switches()) {
            let radix: Vec<usize> = dimensions.iter().map(|dimension| dimension.radix).collect();
            return Err(NoGrid(format!("dimensions of {radix:?} switches do not make {}", wiring.switches())));
        }
        let places = places(wiring, &dimensions, start)?;
        Ok(Grid { dimensions, places })
    }

    /// Links of the whole grid.
    pub fn links(&self) -> usize {
        let along =
            |Dimension { radix, wraps, .. }: &Dimension| self.places.len() / radix * (radix - usize::from(!wraps));
        self.dimensions.iter().map(along).sum()
    }

    /// Dimension-order tables. Where dimensions wrap around and routes name VCs, each pair of unicast VCs is a class of
    /// destinations, for the ways that cross a wrap-around link. On other ways packets keep their VC: in a dimension
    /// these close no ring, on any VC. With a mixed VC they go by the pair's first one, as multicast packets close
    /// rings of their own with those that stay there.
    pub fn tables(&self, wiring: &Wiring, shape: &Shape) -> Tables {
        let unicast = shape.multicast.map_or(shape.vcs, |mixed| mixed.vc);
        let wraps = self.dimensions.iter().any(|dimension| dimension.wraps);
        let dateline = wraps && shape.next_vc && unicast >= 2;
        // A port map knows directions, no destinations.
        let classes = if shape.algorithmic().is_some() { 1 } else { (unicast / 2).max(1) };
        let otherwise = shape.multicast.is_some().then_some(0);
        Tables::new(wiring.switches(), wiring.nodes().len(), |switch, node| {
            let (at, to) = (&self.places[switch], &self.places[wiring.nodes()[node].switch]);
            let Some(i) = (0..at.len()).find(|&i| at[i] != to[i]) else {
                return Some(Hop { port: wiring.nodes()[node].port, vc: None });
            };
            let dimension = &self.dimensions[i];
            let way = dimension.way(at[i], to[i]);
            let of_pair = dimension.vc(&way, at[i]).or(otherwise).filter(|_| dateline);
            let vc = of_pair.map(|vc| 2 * (to.iter().sum::<usize>() % classes) + vc);
            Some(Hop { port: dimension.ports[usize::from(!way.plus)], vc })
        })
    }
}

/// The ports of each dimension: each port is in one pair at most.
fn pairs(wiring: &Wiring) -> Result<Vec<[usize; 2]>, NoGrid> {
    let mut partners: Vec<Option<usize>> = vec![None; wiring.ports()];
    for (near, far) in wiring.links() {
        if near.port == far.port {
            return Err(NoGrid(format!("{near} and {far} are linked, plus to plus or minus to minus")));
        }
        for (end, other) in [(near, far), (far, near)] {
            let known = *partners[end.port].get_or_insert(other.port);
            if known != other.port {
                let rule = format!("elsewhere ports {} are linked to ports {known}", end.port);
                return Err(NoGrid(format!("{end} and {other} are linked, but {rule}")));
            }
        }
    }
    let pair = |(port, other): (usize, &Option<usize>)| other.filter(|&other| port < other).map(|other| [port, other]);
    Ok(partners.iter().enumerate().filter_map(pair).collect())
}

/// The switch that a link from a port leads to.
fn far(wiring: &Wiring, switch: usize, port: usize) -> Option<usize> {
    match wiring.peer(Port { switch, port }) {
        Peer::Switch(far) => Some(far.switch),
        Peer::Node(_) | Peer::Nothing => None,
    }
}

/// Links from switch 0 on by the same port: until it comes again, or until there is none. And whether it came again.
fn walk(wiring: &Wiring, port: usize) -> (usize, bool) {
    let (mut at, mut links) = (0, 0);
    while let Some(next) = far(wiring, at, port) {
        (at, links) = (next, links + 1);
        if at == 0 {
            return (links, true);
        }
    }
    (links, false)
}

/// The dimension of a pair of ports, and the place of switch 0 in it.
fn dimension(wiring: &Wiring, ports: [usize; 2]) -> Result<(Dimension, usize), NoGrid> {
    let ((ahead, wraps), (behind, _)) = (walk(wiring, ports[0]), walk(wiring, ports[1]));
    let (radix, place) = if wraps { (ahead, 0) } else { (1 + ahead + behind, behind) };
    match radix {
        0 | 1 => Err(NoGrid(format!("switch 0 has no neighbour at ports {} and {}", ports[0], ports[1]))),
        _ => Ok((Dimension { radix, wraps, ports }, place)),
    }
}

/// The coordinates of all switches, given those of switch 0. Each switch has the links that its place asks for, and
/// each link leads to the next place: so there is one switch at each place, if there are as many switches as places.
fn places(wiring: &Wiring, dimensions: &[Dimension], start: Vec<usize>) -> Result<Vec<Vec<usize>>, NoGrid> {
    let mut places: Vec<Vec<usize>> = vec![Vec::new(); wiring.switches()];
    places[0] = start;
    let mut found = vec![0];
    let mut next = 0;
    while let Some(&switch) = found.get(next) {
        next += 1;
        for (i, dimension) in dimensions.iter().enumerate() {
            for (port, at) in dimension.ports.into_iter().zip(dimension.beside(places[switch][i])) {
                let (far, at) = match (far(wiring, switch, port), at) {
                    (None, None) => continue,
                    (None, Some(_)) => return Err(NoGrid(format!("switch {switch} has no link at port {port}"))),
                    (Some(_), None) => {
                        return Err(NoGrid(format!("switch {switch} has a link too many at port {port}")))
                    }
                    (Some(far), Some(at)) => (far, at),
                };
                let mut expected = places[switch].clone();
                expected[i] = at;
                if places[far].is_empty() {
                    places[far] = expected;
                    found.push(far);
                } else if places[far] != expected {
                    return Err(NoGrid(format!(
                        "switch {switch} port {port} leads to switch {far}, which has another place"
                    )));
                }
            }
        }
    }
    match places.iter().position(Vec::is_empty) {
        Some(switch) => Err(NoGrid(format!("switch {switch} has no links to the others"))),
        None => Ok(places),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Cube, Topology};

    fn wiring(topology: &Topology) -> Wiring {
        topology.wiring(16).unwrap()
    }

    fn cube(radix: &[usize]) -> Cube {
        Cube { radix: radix.into(), nodes: 2 }
    }

    #[test]
    fn the_shorter_way_and_whether_it_crosses() {
        let dimension = Dimension { radix: 5, wraps: true, ports: [1, 2] };
        let way = |from, to| {
            let way = dimension.way(from, to);
            (way.plus, way.crosses)
        };
        assert_eq!(
            [way(0, 2), way(0, 3), way(4, 1), way(3, 1)],
            [(true, false), (false, true), (true, true), (false, false)]
        );
        let even = Dimension { radix: 4, ..dimension };
        let ties = [(0, 2), (1, 3), (2, 0), (3, 1)].map(|(from, to)| even.way(from, to).plus);
        assert_eq!(ties, [true, false, true, false]);
    }

    /// The wiring with its switches numbered backwards and in the middle of a coordinate.
    fn shuffled(wiring: &Wiring) -> Wiring {
        let switches = wiring.switches();
        let at = |end: Port| Port { switch: (2 * switches - 1 - end.switch + switches / 2) % switches, ..end };
        let mut other = Wiring::new(switches, wiring.ports());
        wiring.links().for_each(|(near, far)| other.link(at(near), at(far)).unwrap());
        wiring.nodes().iter().for_each(|&node| other.attach(at(node)).unwrap());
        other
    }

    #[test]
    fn meshes_and_tori_are_found_by_their_ports() {
        for topology in
            [Topology::Mesh(cube(&[4, 3, 2])), Topology::Torus(cube(&[4, 3, 2])), Topology::Mesh(cube(&[5]))]
        {
            let wiring = shuffled(&wiring(&topology));
            let grid = Grid::of(&wiring).unwrap();
            let (Topology::Mesh(cube) | Topology::Torus(cube)) = &topology else { unreachable!() };
            let radix: Vec<usize> = grid.dimensions.iter().map(|dimension| dimension.radix).collect();
            assert_eq!((radix, grid.links()), (cube.radix.clone(), wiring.links().count()));
            assert!(grid.dimensions.iter().all(|dimension| dimension.wraps == matches!(topology, Topology::Torus(_))));
            let mut places = grid.places.clone();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), wiring.switches());
        }
    }

    #[test]
    fn what_is_no_grid_is_named() {
        let refused = |links: &[((usize, usize), (usize, usize))], switches| {
            let mut wiring = Wiring::new(switches, 6);
            links.iter().for_each(|&(near, far)| wiring.link(near.into(), far.into()).unwrap());
            Grid::of(&wiring).unwrap_err().0
        };
        assert!(refused(&[((0, 1), (1, 1))], 2).contains("plus to plus"));
        let known = refused(&[((0, 1), (1, 2)), ((1, 1), (2, 3))], 3);
        assert_eq!(
            known,
            "switch 1 port 1 and switch 2 port 3 are linked, but elsewhere ports 1 are linked to ports 2"
        );
        // A square with a side missing.
        let square = [((0, 1), (1, 2)), ((2, 1), (3, 2)), ((0, 3), (2, 4))];
        assert_eq!(refused(&square, 4), "switch 1 has no link at port 3");
        // Two squares.
        let squares = [square, square.map(|((a, p), (b, q))| ((a + 4, p), (b + 4, q)))].concat();
        assert!(refused(&squares, 8).contains("do not make 8"));
    }
}
