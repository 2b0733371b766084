//! Texts that once took the square of their length. Four times the text may take ten times as long: noise fits in,
//! a square does not.

use std::time::{Duration, Instant};

use super::*;

fn least_time(text: &str) -> Duration {
    let time = || {
        let start = Instant::now();
        events_of(&only(text)).unwrap();
        start.elapsed()
    };
    (0..3).map(|_| time()).min().unwrap()
}

#[test]
fn long_lines_take_their_length() {
    let dashes = |n| format!("a:\n  b: \"first\nsecond\"\n  c: x{}\n", "1-".repeat(n));
    let flow = |n| format!("a: [{}]\n", vec!["é"; n].join(", "));
    for (name, text) in [("dashes", &dashes as &dyn Fn(usize) -> String), ("flow", &flow)] {
        let (short, long) = (least_time(&text(3000)), least_time(&text(12_000)));
        assert!(long < short * 10 + Duration::from_millis(5), "{name}: {short:?}, then {long:?}");
    }
}
