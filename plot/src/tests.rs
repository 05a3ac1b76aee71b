use super::*;

fn published(x: f64, y: Printed) -> Published {
    Published { x, y, series: None }
}

fn picture(series: Vec<(String, Vec<Dot>)>) -> Picture {
    let axes = [Axis::linear("x"), Axis::linear("y")];
    Picture { title: "t".into(), axes, legend: None, series, published: Vec::new(), front: None }
}

#[test]
fn no_line_leads_to_a_hollow_point() {
    let drawn = |hollow: &[f64]| {
        let dot = |x: f64| Dot::at(x, x).hollow_if(hollow.contains(&x));
        picture(vec![("a".into(), [1.0, 2.0, 3.0, 4.0].map(dot).into())]).svg()
    };
    let corners = |svg: &str| {
        let curve = svg
            .lines()
            .find(|line| line.starts_with("<polyline") && line.contains("stroke=\"#00609A\" stroke-width=\"2\""));
        curve.map_or(0, |line| {
            line.split("points=\"").nth(1).unwrap().trim().split(' ').filter(|p| p.contains(',')).count()
        })
    };
    let (filled, hollow) = (drawn(&[]), drawn(&[4.0]));
    assert_eq!((corners(&filled), corners(&hollow), corners(&drawn(&[3.0, 4.0]))), (4, 3, 2));
    assert!(!filled.contains("saturated") && hollow.contains("saturated, or not steady"), "{hollow}");
}

#[test]
fn every_picture_can_be_drawn() {
    let curve = |from: i32| (0..4).map(|i| Dot::at(f64::from(i), f64::from(from + i * i)).give_or_take(2.0)).collect();
    let printed = [Printed::Number(3.0), Printed::Below(0.0), Printed::Above(9.0), Printed::Between(-1.0, 4.0)];
    for axes in [[Axis::linear("x"), Axis::log("y")], [Axis::log("x"), Axis::linear("y")]] {
        for series in [vec![], vec![("a".into(), vec![])], vec![("a".into(), curve(1)), ("b".into(), curve(-3))]] {
            for front in [None, Some(Better::Lower), Some(Better::Higher)] {
                let (title, legend, axes) = ("what".into(), Some("who".into()), axes.clone());
                let published = printed.map(|y| Published { x: 1.0, y, series: None }).into();
                let svg = Picture { title, axes, legend, series: series.clone(), published, front }.svg();
                assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{svg}");
            }
        }
    }
}

/// Lines of a legend say what marks mean; there are none for marks that are not there.
#[test]
fn bars_and_published_points_are_drawn_and_explained() {
    let plain = picture(vec![("a".into(), vec![Dot::at(1.0, 2.0), Dot::at(2.0, 3.0)])]);
    let mut rich = plain.clone();
    rich.series[0].1[0] = Dot::at(1.0, 2.0).give_or_take(0.5);
    rich.published = vec![published(2.0, Printed::Number(5.0)).of("a"), published(1.0, Printed::Above(1.0))];
    let (plain, rich) = (plain.svg(), rich.svg());
    for text in ["95 % confidence of\n", "published\n", "published bound or range\n"] {
        assert!(!plain.contains(text) && rich.contains(text), "{text}: {rich}");
    }
    // One of a series has its colour.
    assert!(rich.contains("stroke=\"#00609A\" stroke-width=\"2\" points=\"705,"), "{rich}");
    assert!(rich.matches("<polyline").count() > plain.matches("<polyline").count() + 6);
}

/// Rows of a table are no quantity: there is nothing between them.
#[test]
fn rows_are_not_joined() {
    let mut drawn = picture(vec![("a".into(), vec![Dot::at(1.0, 2.0), Dot::at(2.0, 3.0)])]);
    let lines = |picture: &Picture| picture.svg().matches("stroke=\"#00609A\" stroke-width=\"2\"").count();
    assert_eq!(lines(&drawn), 1);
    drawn.axes[0] = Axis::rows("row");
    assert_eq!(lines(&drawn), 0);
    assert!(drawn.svg().contains("\n2\n") && !drawn.svg().contains("\n1.5\n"));
}

#[test]
fn a_title_from_outside_stays_text() {
    let svg = Picture { title: "a \"<b>\" & c".into(), ..picture(Vec::new()) }.svg();
    assert!(svg.contains("aria-label=\"a &quot;&lt;b>&quot; &amp; c\"") && !svg.contains("<b>"), "{svg}");
}

#[test]
fn dark_surroundings_have_their_colours() {
    let svg = picture(vec![("a".into(), vec![Dot::at(1.0, 2.0)])]).svg();
    assert!(svg.contains("prefers-color-scheme:dark") && svg.contains("[fill=\"#FFFFFF\"]"), "{svg}");
    // Every colour of the drawing is one that the sheet knows.
    for part in svg.split("fill=\"#").skip(1).chain(svg.split("stroke=\"#").skip(1)) {
        let colour = &part[..6];
        assert!(svg.contains(&format!("[fill=\"#{colour}\"]")), "#{colour} has no dark colour");
    }
}
