//! The growth table as a picture.

use super::growth::Step;
use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const MARGIN: f64 = 56.0;
/// A call that is shown, in its colour.
struct Line {
    name: &'static str,
    colour: &'static str,
    time: fn(&Step) -> f64,
}

const LINES: [Line; 3] = [
    Line { name: "get_memory", colour: "#1f77b4", time: |step| step.get_memory },
    Line { name: "recall", colour: "#2ca02c", time: |step| step.recall },
    Line { name: "remember", colour: "#d62728", time: |step| step.remember },
];

/// Both axes are logarithmic, in decades.
struct Axis {
    from: i32,
    to: i32,
    start: f64,
    end: f64,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64> + Clone, start: f64, end: f64) -> Self {
        let low = values.clone().fold(f64::INFINITY, f64::min).max(0.001).log10().floor() as i32;
        let high = values.fold(0.001, f64::max).log10().ceil() as i32;
        Self { from: low, to: high.max(low + 1), start, end }
    }

    fn place(&self, value: f64) -> f64 {
        let share = (value.max(0.001).log10() - f64::from(self.from)) / f64::from(self.to - self.from);
        self.start + share * (self.end - self.start)
    }

    fn decades(&self) -> impl Iterator<Item = f64> {
        (self.from..=self.to).map(|decade| 10_f64.powi(decade))
    }
}

/// The middle time of each call over the number of facts.
pub fn svg(steps: &[Step]) -> String {
    let across = Axis::over(steps.iter().map(|step| step.facts as f64), MARGIN, WIDTH - MARGIN);
    let times = steps.iter().flat_map(|step| LINES.iter().map(|line| (line.time)(step)));
    let up = Axis::over(times, HEIGHT - MARGIN, MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let mut add = |line: String| {
        svg.push_str(&line);
        svg.push('\n');
    };
    for facts in across.decades() {
        let x = across.place(facts);
        add(format!(
            "<line x1=\"{x:.1}\" y1=\"{MARGIN}\" x2=\"{x:.1}\" y2=\"{:.1}\" stroke=\"#ddd\"/>",
            HEIGHT - MARGIN
        ));
        add(format!(
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{facts:.0}</text>",
            HEIGHT - MARGIN + 18.0
        ));
    }
    for time in up.decades() {
        let y = up.place(time);
        add(format!(
            "<line x1=\"{MARGIN}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>",
            WIDTH - MARGIN
        ));
        add(format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{time}</text>",
            MARGIN - 6.0,
            y + 4.0
        ));
    }
    for (nth, Line { name, colour, time }) in LINES.iter().enumerate() {
        let mut points = String::new();
        for step in steps {
            let _ = write!(points, "{:.1},{:.1} ", across.place(step.facts as f64), up.place(time(step)));
        }
        let points = points.trim_end();
        add(format!("<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>"));
        add(format!(
            "<text x=\"{:.1}\" y=\"30\" fill=\"{colour}\">{name}</text>",
            MARGIN + 110.0 * nth as f64
        ));
    }
    let middle = WIDTH / 2.0;
    add(format!("<text x=\"{middle}\" y=\"{:.1}\" text-anchor=\"middle\">facts</text>", HEIGHT - 12.0));
    add(format!(
        "<text x=\"{:.1}\" y=\"30\" text-anchor=\"end\">milliseconds, the middle call</text>",
        WIDTH - MARGIN
    ));
    svg.push_str("</svg>\n");
    svg
}
