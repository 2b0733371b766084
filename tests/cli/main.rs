//! The real binary from the outside: what is typed, what comes back.

mod bytes;
mod commands;
mod golden;
mod harness;
mod hostile;
mod readme;
mod rollout_bytes;
mod rollout_phases;
mod targets;
