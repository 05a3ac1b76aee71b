use super::*;
use serde_json::json;

const EVIL: &str = "<script>alert(\"&\")</script>";

fn report() -> Report {
    let mut report = Report { of: "switch", title: EVIL.into(), about: EVIL.into(), ..Report::default() };
    let parts = vec![
        SectionPart::Text(EVIL.into()),
        SectionPart::Verdict(Verdict { is_good: true, text: EVIL.into() }),
        SectionPart::facts([(EVIL, EVIL.to_string())]),
        SectionPart::table(EVIL, [EVIL, "cycles"], vec![vec![json!(EVIL), json!(1.5)], vec![json!(true), json!(null)]]),
        SectionPart::figure(EVIL, "<svg></svg>".into()),
        SectionPart::Lines(EVIL.into()),
        SectionPart::Notes(vec![EVIL.into()]),
    ];
    report.add("all", "All kinds of parts", parts);
    report.add("none", "Nothing", Vec::new());
    report
}

/// Text from outside stays text; pictures are ours, and stand as they are.
#[test]
fn all_text_is_escaped_but_pictures() {
    let html = report().html();
    assert!(!html.contains("<script") && html.matches("&#60;script&#62;").count() == 13, "{html}");
    assert!(html.contains("<svg></svg>"), "{html}");
}

/// Nothing that a browser would fetch.
#[test]
fn a_page_refers_to_nothing_outside() {
    let html = report().html();
    for reference in ["http:", "https:", "src=", "url(", "@import", "<link", "<script"] {
        assert!(!html.contains(reference), "{reference} in {html}");
    }
    assert!(html.contains("href=\"#all\"") && html.contains("<section id=\"all\">") && !html.contains("#none"));
}

#[test]
fn numbers_stand_to_the_right_and_gaps_are_empty() {
    let html = report().html();
    assert!(html.contains("<th scope=\"col\" class=\"number\">cycles</th>"), "{html}");
    assert!(html.contains("<td class=\"word\">yes</td><td class=\"number\"></td>"), "{html}");
}

#[test]
fn json_has_all_that_the_page_has() {
    let json = report().to_json();
    let parts = json["sections"]["all"]["parts"].as_array().unwrap();
    assert_eq!(parts.len(), 7);
    assert_eq!(parts[3]["rows"][0], json!({EVIL: EVIL, "cycles": 1.5}));
    assert_eq!(parts[1], json!({"good": true, "verdict": EVIL}));
    assert_eq!(json["sections"].as_object().unwrap().len(), 1);
}

#[test]
fn a_bad_verdict_makes_a_bad_report() {
    let mut report = report();
    assert!(report.is_good());
    report.add("check", "Check", vec![SectionPart::Verdict(Verdict { is_good: false, text: "no".into() })]);
    assert!(!report.is_good());
}
