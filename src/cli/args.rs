//! What may be typed.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use crate::Repository;
use crate::load::settings::{Scope, Waves};
use crate::plan::timeline::Order;

/// Orders the rollout of a Kubernetes platform for Argo CD and Flux, and explains every position.
#[derive(Debug, Parser)]
#[command(
    version,
    arg_required_else_help = true,
    after_help = "Example:\n  argocd-ladder plan examples/rollout-phases\n  argocd-ladder render examples/rollout-phases > all.yaml"
)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands: what people begin with first, then what Argo CD and shells ask for.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the ladder: rungs, components, what moved and why
    #[command(
        after_help = "Example:\n  argocd-ladder plan examples/rollout-phases\n  argocd-ladder plan --format json examples/rollout-phases | jq '.phases'"
    )]
    Plan(PlanArgs),
    /// Say why a component or resource stands where it does
    #[command(
        after_help = "Example:\n  argocd-ladder explain foundation-vault-secret-store --root examples/rollout-phases\n  argocd-ladder explain platform-keycloak platform-postgres-clusters --root examples/rollout-phases"
    )]
    Explain(ExplainArgs),
    /// Write every manifest with its wave, in the order Argo CD will apply them
    #[command(
        after_help = "Example:\n  argocd-ladder render examples/rollout-phases > all.yaml\n  helm template my-chart | argocd-ladder render -"
    )]
    Render(RenderArgs),
    /// Print the health checks that make Argo CD's waves wait, as a patch of argocd-cm
    #[command(
        after_help = "Example:\n  argocd-ladder health-checks > argocd-cm.yaml\n  argocd-ladder health-checks examples/rollout-phases"
    )]
    HealthChecks(HealthChecksArgs),
    /// Render as Argo CD's plugin: set by its environment and the plugin's parameters
    #[command(
        after_help = "Example:\n  cd examples/rollout-phases\n  ARGOCD_ENV_LADDER_PHASES=100-199 argocd-ladder generate\n\nand in an Application:\n  source:\n    plugin:\n      name: argocd-ladder\n      parameters: [{name: phases, string: 100-199}]"
    )]
    Generate(GenerateArgs),
    /// Print the plugin's parameters for Argo CD's user interface, with what this repo has to choose from
    #[command(after_help = "Example:\n  argocd-ladder parameters examples/rollout-phases | jq '.[].name'")]
    Parameters(ParametersArgs),
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
    /// Run a program that ends with the process that asked for it
    #[command(hide = true)]
    Launch(LaunchArgs),
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
    #[arg(long, value_name = "NAMESPACE", default_value = "", hide_default_value = true)]
    pub namespace: String,
    /// How waves are numbered; default: what ladder.yaml says
    #[arg(long, value_enum)]
    pub waves: Option<Waves>,
    /// What one Application holds; `component` is what Applications of `render --target` ask the plugin for
    #[arg(long, value_enum)]
    pub scope: Option<Scope>,
    /// Settings to use instead of the ladder.yaml at the root; also for manifests on standard input
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
    /// Threads to read with, at most 256; default: all cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// Version of the cluster that charts see
    #[arg(long, value_name = "VERSION", help_heading = TOOLS)]
    pub kube_version: Option<String>,
    /// API versions of the cluster that charts see
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = TOOLS)]
    pub api_versions: Vec<String>,
    /// How tools may run.
    #[command(flatten)]
    pub tools: ToolArgs,
}

const TOOLS: &str = "Helm and kustomize";

/// How helm and kustomize may run; the environment is for the sidecar's container.
#[derive(Debug, Clone, ClapArgs)]
pub struct ToolArgs {
    /// Seconds that all charts and kustomizations together may take
    #[arg(long, value_name = "SECONDS", default_value_t = 45.0, env = "LADDER_TIMEOUT", hide_env_values = true, help_heading = TOOLS)]
    pub timeout: f32,
    /// How many are rendered at once; default: one per core
    #[arg(long, value_name = "N", env = "LADDER_JOBS", hide_env_values = true, help_heading = TOOLS)]
    pub jobs: Option<usize>,
    /// Fetch remote charts and bases
    #[arg(long, env = "LADDER_ALLOW_REMOTE", hide_env_values = true, help_heading = TOOLS)]
    pub allow_remote: bool,
    /// Keep renders in this directory
    #[arg(long, value_name = "DIR", env = "LADDER_CACHE_DIR", hide_env_values = true, help_heading = TOOLS)]
    pub cache_dir: Option<PathBuf>,
    /// How large that directory may grow
    #[arg(long, value_name = "MIB", default_value_t = 256, env = "LADDER_CACHE_MIB", hide_env_values = true, help_heading = TOOLS)]
    pub cache_size: u64,
}

/// `generate`.
#[derive(Debug, ClapArgs)]
pub struct GenerateArgs {
    /// How tools may run.
    #[command(flatten)]
    pub tools: ToolArgs,
}

/// `parameters`.
#[derive(Debug, ClapArgs)]
pub struct ParametersArgs {
    /// Directory with descriptors
    #[arg(default_value = ".")]
    pub path: PathBuf,
    /// How tools may run.
    #[command(flatten)]
    pub tools: ToolArgs,
}

/// `launch`.
#[derive(Debug, ClapArgs)]
pub struct LaunchArgs {
    /// Process that asked
    pub parent: i32,
    /// Milliseconds it may take
    pub time: u64,
    /// Directory that goes when nobody else is left to remove it
    pub home: PathBuf,
    /// What to run
    pub program: OsString,
    /// Its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
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
    /// Write to a file, or one file per component into a directory, instead of standard output. Nothing is replaced
    /// before everything is written; other files of a directory stay
    #[arg(short, long, value_name = "FILE|DIR")]
    pub output: Option<PathBuf>,
    /// Accept a result without any manifest
    #[arg(long)]
    pub allow_empty: bool,
    /// The repository as the plugin's surroundings know it.
    #[arg(skip)]
    pub repository: Repository,
    /// Fingerprint of the content, when one of our Applications asks.
    #[arg(skip)]
    pub content: Option<String>,
    /// Whether other content is refused.
    #[arg(skip)]
    pub content_gate: bool,
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
    /// Estimate when each rung starts and ends, by waves or by Flux's dependsOn
    #[arg(long, value_enum, value_name = "ORDER", num_args = 0..=1, require_equals = true, conflicts_with = "reverse")]
    pub timeline: Option<Option<Order>>,
    /// Show the order Argo CD deletes in, and its hazards; of one Application or of one per component
    #[arg(long, value_enum, value_name = "TARGET", num_args = 0..=1, require_equals = true)]
    pub reverse: Option<Option<DeleteOrder>>,
    /// What is read.
    #[command(flatten)]
    pub reading: Reading,
}

/// Whose deletion `plan --reverse` shows; without one the scope of ladder.yaml decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DeleteOrder {
    /// One Application that holds everything
    Manifests,
    /// A root application with one Application per component
    Applications,
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

/// `health-checks`.
#[derive(Debug, ClapArgs)]
pub struct HealthChecksArgs {
    /// Directory with descriptors, to add checks for the custom kinds it waits for
    pub path: Option<PathBuf>,
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
