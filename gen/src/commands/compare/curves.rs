//! Points of the figures that the paper draws without numbers: a routing cache by its entries (figures 4.3 and 4.4),
//! node reduction by its dimensions (figures 5.23 and 5.24), a map from keys to ports by its entries (figure 5.30).

use super::figure::{ComparedFigure, Reports};
use super::figures::{area, longest};

/// All points, in the order of the table.
pub fn figures() -> Vec<ComparedFigure> {
    [caches(), dimensions(), maps()].into_iter().flatten().collect()
}

fn memories(reports: &Reports, name: &str) -> Option<f64> {
    Some(reports.get(name)?.memory_area_um2 / 1e6)
}

/// A point that the paper draws.
fn point(figure: ComparedFigure, source: &'static str) -> ComparedFigure {
    ComparedFigure { source, ..figure }.note("the paper draws it and prints no number")
}

fn caches() -> Vec<ComparedFigure> {
    let area_of = |what, ours| point(ComparedFigure::new(what, "mm2", 4, ours), "figure 4.3 of Hirasawa2022");
    let path_of = |what, ours| point(ComparedFigure::path(what, ours), "figure 4.4 of Hirasawa2022");
    vec![
        area_of("routing cache of 512 entries, memories", |r| memories(r, "routing cache, 512 entries")),
        area_of("routing cache of 1,024 entries, memories", |r| memories(r, "routing cache, 1,024 entries")),
        area_of("routing cache of 4,096 entries, memories", |r| memories(r, "routing cache, 4,096 entries")),
        area_of("routing cache of 8,192 entries, memories", |r| memories(r, "routing cache, 8,192 entries")),
        path_of("routing cache of 512 entries, longest path", |r| longest(r, "routing cache, 512 entries")),
        path_of("routing cache of 1,024 entries, longest path", |r| longest(r, "routing cache, 1,024 entries")),
        path_of("routing cache of 4,096 entries, longest path", |r| longest(r, "routing cache, 4,096 entries")),
        path_of("routing cache of 8,192 entries, longest path", |r| longest(r, "routing cache, 8,192 entries")),
    ]
}

fn dimensions() -> Vec<ComparedFigure> {
    let area_of = |what, ours| point(ComparedFigure::area(what, ours), "figure 5.23 of Hirasawa2022");
    let path_of = |what, ours| point(ComparedFigure::path(what, ours), "figure 5.24 of Hirasawa2022");
    vec![
        area_of("node reduction, cube of 3 dimensions, area", |r| area(r, "cube, 3 dimensions")),
        area_of("node reduction, cube of 4 dimensions, area", |r| area(r, "cube, 4 dimensions")),
        area_of("node reduction, cube of 8 dimensions, area", |r| area(r, "cube, 8 dimensions")),
        area_of("node reduction, cube of 12 dimensions, area", |r| area(r, "cube, 12 dimensions")),
        path_of("node reduction, cube of 3 dimensions, longest path", |r| longest(r, "cube, 3 dimensions")),
        path_of("node reduction, cube of 4 dimensions, longest path", |r| longest(r, "cube, 4 dimensions")),
        path_of("node reduction, cube of 8 dimensions, longest path", |r| longest(r, "cube, 8 dimensions")),
        path_of("node reduction, cube of 12 dimensions, longest path", |r| longest(r, "cube, 12 dimensions")),
    ]
}

fn maps() -> Vec<ComparedFigure> {
    let point = |what, ours| {
        ComparedFigure { source: "figure 5.30 of Hirasawa2022", ..ComparedFigure::area(what, ours) }
            .note("64 ports; the entries are registers of the switch, and no part of it")
    };
    vec![
        point("map from keys to ports, 2 entries, area", |r| area(r, "port map, 2 entries")),
        point("map from keys to ports, 4 entries, area", |r| area(r, "port map, 4 entries")),
        point("map from keys to ports, 8 entries, area", |r| area(r, "port map, 8 entries")),
        point("map from keys to ports, 16 entries, area", |r| area(r, "port map, 16 entries")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::compare::subjects::SUBJECTS;

    /// A point is worked out from a subject that is a point, and from no other.
    #[test]
    fn each_point_has_its_subject() {
        let points = SUBJECTS.iter().filter(|subject| subject.is_point).count();
        let of = |unit: &str| figures().iter().filter(|figure| figure.unit == unit).count();
        assert_eq!(points, of("ns") + 4);
        assert_eq!((of("mm2"), of("um2"), of("ns")), (4, 8, 8));
        assert!(figures().iter().all(|figure| figure.theirs.value().is_none() && !figure.source.is_empty()));
    }
}
