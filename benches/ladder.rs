//! Whole-process speed and memory on generated platforms, as ratios to `cat`, helm and smaller inputs.
//!
//! Nothing is asserted: a target stands beside each figure, because even ratios move on a busy machine.
//! `cargo bench -- --quick` leaves out the 300 MB platform; `-- --in DIR` keeps the trees in an empty directory.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads files and starts programs")]

mod corpus;
mod measure;

use std::env;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use corpus::{Size, Tree};
use measure::{Run, medians};

const PROGRAM: &str = env!("CARGO_BIN_EXE_argocd-ladder");
const MIB: u64 = 1024 * 1024;

const SMALL: Size = Size { components: 97, files_each: 5, resources_each: 101, crds: 20 };
const LARGE: Size = Size { components: 970, files_each: 5, resources_each: 101, crds: 200 };
const MANY: Size = Size { components: 1000, files_each: 1, resources_each: 10, crds: 4 };

fn main() -> io::Result<()> {
    let arguments: Vec<String> = env::args().collect();
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let kept = arguments.iter().position(|argument| argument == "--in").and_then(|at| arguments.get(at + 1));
    let temporary = tempfile::tempdir()?;
    let place = kept.map_or(temporary.path(), Path::new);
    let small = corpus::platform(&place.join("small"), &SMALL)?;
    render(&small, 9)?;
    helm(&small, &place.join("chart"))?;
    plan(&corpus::platform(&place.join("components"), &MANY)?)?;
    start_up()?;
    let few = corpus::references(&place.join("references-small"), 10)?;
    let many = corpus::references(&place.join("references-large"), 100)?;
    growth("plan, 200,000 / 20,000 references", &few, &many, |tree| ladder("plan", tree, 2))?;
    if quick {
        return Ok(());
    }
    let large = corpus::platform(&place.join("large"), &LARGE)?;
    render(&large, 3)?;
    growth("render, large / small", &small, &large, |tree| ladder("render", tree, 2))
}

fn render(tree: &Tree, rounds: usize) -> io::Result<()> {
    head(tree)?;
    let cat = Run::new("cat").with(&tree.files);
    let (two, one) = (ladder("render", tree, 2), ladder("render", tree, 1));
    let [cat, on_two, on_one] = medians(rounds, [&cat, &two, &one])?;
    figure("cat", &milliseconds(cat), "")?;
    figure("render, 2 threads", &milliseconds(on_two), "")?;
    figure("render, 2 threads / cat", &ratio(on_two, cat), "at most 14")?;
    figure("render, 1 thread / cat", &ratio(on_one, cat), "at most 25")?;
    for (name, run) in [("peak memory, 2 threads", two), ("peak memory, 1 thread", one)] {
        let peak = run.peak_memory()?;
        let target = (2 * tree.bytes + 16 * MIB) / MIB;
        let share = per(peak, tree.bytes);
        figure(name, &format!("{} MiB, {share} of the input", peak / MIB), &format!("at most {target} MiB"))?;
    }
    Ok(())
}

fn plan(tree: &Tree) -> io::Result<()> {
    head(tree)?;
    let cat = Run::new("cat").with(&tree.files);
    let [cat, text, json] =
        medians(9, [&cat, &ladder("plan", tree, 2), &ladder("plan", tree, 2).with(["--format=json"])])?;
    figure("plan, 1000 components", &milliseconds(text), "")?;
    figure("plan / cat", &ratio(text, cat), "")?;
    figure("plan as JSON / cat", &ratio(json, cat), "")
}

fn start_up() -> io::Result<()> {
    writeln!(io::stdout(), "\nstart-up")?;
    let [nothing, version] = medians(101, [&Run::new("/bin/true"), &Run::new(PROGRAM).with(["--version"])])?;
    figure("/bin/true", &milliseconds(nothing), "")?;
    figure("--version over /bin/true", &milliseconds(version.saturating_sub(nothing)), "at most 5 ms")
}

fn growth(name: &str, small: &Tree, large: &Tree, run: impl Fn(&Tree) -> Run) -> io::Result<()> {
    writeln!(io::stdout(), "\n{} against {} resources", large.resources, small.resources)?;
    let [short, long] = medians(3, [&run(small), &run(large)])?;
    figure(name, &ratio(long, short), "at most 11")
}

/// helm parses, sorts by kind and writes the same text, which makes it the nearest peer.
fn helm(tree: &Tree, chart: &Path) -> io::Result<()> {
    let Some(program) = on_path("helm") else {
        return figure("helm template / render", "helm is not on PATH", "at least 10");
    };
    write_chart(tree, chart)?;
    let helm = Run::new(program).with(["template", "bench"]).with([chart]);
    let [render, helm] = medians(3, [&ladder("render", tree, 2), &helm])?;
    figure("helm template / render", &ratio(helm, render), "at least 10")
}

/// The same text as a chart; what templates would read as theirs is escaped.
fn write_chart(tree: &Tree, chart: &Path) -> io::Result<()> {
    let templates = chart.join("templates");
    fs::create_dir_all(&templates)?;
    fs::write(chart.join("Chart.yaml"), "apiVersion: v2\nname: bench\nversion: 0.1.0\n")?;
    for (number, file) in tree.files.iter().enumerate() {
        let text = fs::read_to_string(file)?.replace("{{", "{{ \"{{\" }}");
        fs::write(templates.join(format!("{number}.yaml")), text)?;
    }
    Ok(())
}

fn ladder(command: &str, tree: &Tree, threads: usize) -> Run {
    Run::new(PROGRAM).with([command, &format!("--threads={threads}")]).with([&tree.root])
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let runs = |file: &PathBuf| file.metadata().is_ok_and(|data| data.is_file() && data.mode() & 0o111 != 0);
    env::split_paths(&path).map(|directory| directory.join(program)).find(runs)
}

fn head(tree: &Tree) -> io::Result<()> {
    let (resources, files) = (tree.resources, tree.files.len());
    let megabytes = tree.bytes / 1_000_000;
    writeln!(io::stdout(), "\n{resources} resources, {megabytes} MB in {files} files")
}

fn figure(name: &str, value: &str, target: &str) -> io::Result<()> {
    writeln!(io::stdout(), "  {name:<36}{value:>32}   {target}")
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

fn ratio(time: Duration, base: Duration) -> String {
    format!("{:.1} x", time.as_secs_f64() / base.as_secs_f64())
}

/// `part / whole` with one decimal, without leaving the integers.
fn per(part: u64, whole: u64) -> String {
    let tenths = part * 10 / whole.max(1);
    format!("{}.{} x", tenths / 10, tenths % 10)
}
