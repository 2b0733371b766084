//! What may be typed.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use crate::load::settings::Waves;

/// Orders the rollout of a Kubernetes platform for Argo CD and Flux, and explains every position.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write every manifest with its wave, in the order Argo CD will apply them
    #[command(
        after_help = "Example:\n  argocd-ladder render examples/rollout-phases > all.yaml\n  helm template my-chart | argocd-ladder render -"
    )]
    Render(RenderArgs),
    /// Show the ladder: rungs, components, what moved and why
    #[command(
        after_help = "Example:\n  argocd-ladder plan examples/rollout-phases\n  argocd-ladder plan --format json . | jq '.phases'"
    )]
    Plan(PlanArgs),
    /// Say why a component or resource stands where it does
    #[command(
        after_help = "Example:\n  argocd-ladder explain foundation-vault-secret-store --root examples/rollout-phases\n  argocd-ladder explain platform-keycloak platform-postgres-clusters --root examples/rollout-phases"
    )]
    Explain(ExplainArgs),
    /// Print the JSON Schema of a file, for editors
    #[command(
        after_help = "Example:\n  argocd-ladder schema component > component.schema.json\n  then, first line of a component.yaml:\n  # yaml-language-server: $schema=component.schema.json"
    )]
    Schema(SchemaArgs),
    /// Print completions for a shell
    #[command(
        after_help = "Example:\n  argocd-ladder completions bash > /etc/bash_completion.d/argocd-ladder"
    )]
    Completions(CompletionsArgs),
}

/// What is read, for every command that builds a ladder.
#[derive(Debug, ClapArgs)]
pub struct Reading {
    /// Only components of this environment
    #[arg(long = "env", value_name = "NAME")]
    pub environment: Option<String>,
    /// Leave waves that manifests already carry out of the evidence
    #[arg(long)]
    pub ignore_existing_order: bool,
    /// Destination namespace of the Application that will hold everything
    #[arg(long, value_name = "NAMESPACE", default_value = "")]
    pub namespace: String,
    /// How waves are numbered; default: what ladder.yaml says
    #[arg(long, value_enum)]
    pub waves: Option<Waves>,
    /// Threads to read with; default: all cores
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// `render`.
#[derive(Debug, ClapArgs)]
pub struct RenderArgs {
    /// Directory with descriptors, or `-` for manifests on standard input
    #[arg(default_value = ".")]
    pub path: PathBuf,
    /// What to write
    #[arg(long, value_enum, default_value_t = Target::Manifests)]
    pub target: Target,
    /// Only this component; may be given several times
    #[arg(long = "component", value_name = "NAME")]
    pub components: Vec<String>,
    /// Only rungs from A to B, both included
    #[arg(long, value_name = "A-B")]
    pub phases: Option<String>,
    /// Write to a file, or one file per component into a directory, instead of standard output
    #[arg(short, long, value_name = "FILE|DIR")]
    pub output: Option<PathBuf>,
    /// Accept a result without any manifest
    #[arg(long)]
    pub allow_empty: bool,
    /// What is read.
    #[command(flatten)]
    pub reading: Reading,
}

/// What `render` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// Every resource with its wave
    Manifests,
    /// One Argo CD Application per component, with waves for a root application
    Applications,
    /// One Argo CD ApplicationSet with a RollingSync step per rung
    #[value(name = "applicationset")]
    ApplicationSet,
    /// One Flux Kustomization per component, ordered by dependsOn
    Flux,
}

/// `plan`.
#[derive(Debug, ClapArgs)]
pub struct PlanArgs {
    /// Directory with descriptors, or `-` for manifests on standard input
    #[arg(default_value = ".")]
    pub path: PathBuf,
    /// How to write it
    #[arg(long, value_enum, default_value_t = PlanFormat::Text)]
    pub format: PlanFormat,
    /// Add the edges inside components and every resource (json)
    #[arg(long)]
    pub resources: bool,
    /// What is read.
    #[command(flatten)]
    pub reading: Reading,
}

/// Formats of `plan`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlanFormat {
    /// For people
    Text,
    /// For programs
    Json,
    /// For pull requests
    Markdown,
}

/// `explain`.
#[derive(Debug, ClapArgs)]
pub struct ExplainArgs {
    /// A component, or a resource as KIND/NAMESPACE/NAME
    pub name: String,
    /// Why NAME waits for this one, or that it does not
    pub other: Option<String>,
    /// Directory with descriptors
    #[arg(long, value_name = "PATH", default_value = ".")]
    pub root: PathBuf,
    /// What is read.
    #[command(flatten)]
    pub reading: Reading,
}

/// `schema`.
#[derive(Debug, ClapArgs)]
pub struct SchemaArgs {
    /// Which file
    #[arg(value_enum)]
    pub file: SchemaFile,
}

/// Files with a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaFile {
    /// component.yaml
    Component,
    /// ladder.yaml
    Ladder,
}

/// `completions`.
#[derive(Debug, ClapArgs)]
pub struct CompletionsArgs {
    /// Which shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}
