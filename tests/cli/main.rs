//! The real binary from the outside: what is typed, what comes back.

#![expect(clippy::disallowed_methods, reason = "tests read files and start programs")]

mod bytes;
mod commands;
mod example_app_of_apps;
mod example_fineract;
mod example_flux_layers;
mod example_laravel_chart;
mod gates;
mod generate;
mod golden;
mod harness;
mod hostile;
mod hostile_sources;
mod programs;
mod readme;
mod real_tools;
mod rollout_bytes;
mod rollout_phases;
mod same_order;
mod schemas;
mod sidecar;
mod sources;
mod targets;
mod tool_messages;
mod written_files;
