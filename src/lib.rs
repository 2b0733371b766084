//! Orders the rollout of a whole Kubernetes platform, and explains every position by evidence.
//!
//! The words, one per idea: a *component* is what one descriptor describes; a *resource* is one of its objects,
//! with a *role*; an *edge* says that `from` waits for `to`, with a reason, a strength, a gate and an origin; a
//! *rung* (or *phase*) is a step of the ladder; a *wave* is Argo CD's sync-wave; a *hook* is Argo CD's
//! PreSync/Sync/PostSync; a *pin* is obeyed or an error; a *hint* is an order manifests already carry; a *fix*
//! moves a component; a *finding* is something the user should know.
//!
//! The modules stand in the order of the flow; [`build`] is nothing but that flow.

// What the steps share.
pub mod model;
pub mod argocd;
pub mod problem;
pub mod message;
pub mod rules;
pub mod yaml;
pub mod hosts;
pub mod graph;
pub mod disk;
pub mod catalogue;

// The climb.
pub mod discover;
pub mod load;
pub mod render;
pub mod gates;
pub mod classify;
pub mod infer;
pub mod fixes;
pub mod resolve;
pub mod order;
pub mod emit;
pub mod target;
pub mod health;

// Readers of the finished ladder.
pub mod explain;
pub mod plan;
pub mod plugin;
pub mod cli;

mod flow;

pub use flow::{Options, Repository, build, build_from_text, build_from_text_with};
