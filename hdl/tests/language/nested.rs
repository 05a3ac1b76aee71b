//! Bundles within bundles, and a number of a part as an argument.

use railyard_hdl::rtl::prelude::*;

/// Limits of a counter.
#[bundle]
pub struct Limits<D: Side> {
    /// the counter stops here
    pub most: Sig<D>,
}

/// What is read of a counter.
#[bundle]
pub struct Reading<D: Side> {
    /// its value
    pub count: Sig<D>,
}

/// Both, in one bundle: a reading leads the other way, and is not always there.
#[bundle]
pub struct Settings<D: Side> {
    pub limits: Bare<Limits<D>>,
    pub reading: Bare<Option<Reading<Opposite<D>>>>,
}

fn settings<D: Side>(read: bool) -> Settings<D> {
    Settings { limits: Limits { most: sig(4) }, reading: read.then(|| Reading { count: sig(4) }) }
}

/// A counter that stops.
#[block]
pub struct Stopping {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub settings: Bare<Settings<In>>,
    /// value
    count: Reg,
    /// its lamp
    pub place: usize,
}

#[kernel]
impl Stopping {
    fn update(&mut self) {
        if self.count.q.val() != self.settings.limits.most.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        if let Some(reading) = &mut self.settings.reading {
            reading.count.next = self.count.q.val();
        }
    }
}

/// A counter behind a bundle with a name.
#[block]
pub struct Panel {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub first: Option<Settings<In>>,
    /// the counter of that number is there
    pub lamp: Vec<Flag<Out>>,
    counter: Option<Stopping>,
}

fn panel(built: bool, read: bool) -> Panel {
    let counter = || Stopping { settings: settings(read), count: reg(4, 0u8), place: 2, ..Stopping::plain() };
    Panel { first: built.then(|| settings(read)), lamp: many(3, flag), counter: built.then(counter), ..Panel::plain() }
}

#[kernel]
impl Panel {
    fn update(&mut self) {
        for i in 0..self.lamp.len() {
            self.lamp[i].next = false;
        }
        if let (Some(counter), Some(first)) = (&mut self.counter, &mut self.first) {
            first.link(&mut counter.settings);
            Self::light(counter.place, &mut self.lamp);
        }
    }

    fn light(place: usize, lamp: &mut [Flag<Out>]) {
        lamp[place].next = true;
    }
}

#[test]
fn a_reading_leads_against_the_limits() {
    let mut bench = Bench::new(panel(true, true), |b| &mut b.clock);
    bench.first.as_mut().unwrap().limits.most.next = 3.into();
    for cycle in 0..6 {
        bench.settle();
        let reading = bench.first.as_ref().unwrap().reading.as_ref().unwrap();
        assert_eq!(reading.count.val(), cycle.min(3));
        assert!(bench.lamp[2].val() && !bench.lamp[1].val());
        bench.cycle();
    }
}

#[test]
fn names_are_those_of_the_inner_bundles_behind_the_outer_field() {
    for (built, read) in [(false, false), (true, false), (true, true)] {
        let text = emit(&panel(built, read), "panel").unwrap_or_else(|errors| panic!("{}", errors[0])).text();
        let top = &text[text.find("module panel").expect("the panel")..];
        assert_eq!(top.contains("first_most, // the counter stops here"), built, "{text}");
        assert_eq!(top.contains("first_count, // its value"), read, "{text}");
        assert_eq!(top.contains("assign lamp = 3'd4;"), built, "{text}");
    }
}
