//! The commands a newcomer reads first are in the README, and work.

use std::fs;

use crate::harness::{repository, run};

const PLAN: &str = "cargo run --release -- plan examples/rollout-phases";
const TEST: &str = "cargo test";

#[test]
fn the_first_screen_shows_two_commands_and_the_plan_one_works() {
    let text = fs::read_to_string(repository().join("README.md")).expect("there is a README.md");
    let screen: Vec<&str> = text.lines().take(60).map(str::trim).collect();
    for command in [PLAN, TEST] {
        let shown = screen.iter().any(|line| line.starts_with(command));
        assert!(shown, "a line of the first 60 starts with `{command}`");
    }
    let (_, typed) = PLAN.split_once(" -- ").unwrap();
    let args: Vec<&str> = typed.split(' ').collect();
    let run = run(repository(), &args);
    assert_eq!(run.exit, 0, "{}", run.stderr);
    assert!(run.stdout.contains("foundation-vault-secret-store"), "{}", run.stdout);
}
