//! What a request through one source costs against one through another, measured in turns in one run.

use anyhow::{Result, bail};

use super::requests::Desk;
use crate::case::Overhead;

/// Asks both sources in turns and compares the medians.
pub(crate) fn check(desk: &Desk, overhead: &Overhead) -> Result<String> {
    let sources = [desk.source(&overhead.source)?, desk.source(&overhead.against)?];
    let mut times: [Vec<f64>; 2] = Default::default();
    for source in &sources {
        desk.server.objects(source)?;
    }
    for _ in 0..overhead.times {
        for (source, times) in sources.iter().zip(&mut times) {
            let answer = desk.server.generate(source, "default")?;
            answer.objects()?;
            times.push(answer.millis);
        }
    }
    let [ours, theirs] = times.map(median);
    let ratio = ours / theirs;
    let said = format!("{ours:.0} ms against {theirs:.0} ms, {ratio:.2} times, allowed {}", overhead.ratio);
    if ratio > overhead.ratio {
        bail!(said);
    }
    Ok(said)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
