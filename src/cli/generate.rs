//! `generate`: what Argo CD's plugin runs. The same as `render`, set by the environment.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::ValueEnum;

use super::args::{GenerateArgs, Reading, RenderArgs, Target};
use super::{Exit, render};
use crate::load::settings::Waves;
use crate::plugin::Request;
use crate::problem::{Problem, Problems, suggestion};

pub(super) fn run(args: GenerateArgs) -> anyhow::Result<Exit> {
    // A variable that is not UTF-8 is none of Argo CD's.
    let variables: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let request = Request::from_environment(&variables)?;
    let args = RenderArgs {
        path: PathBuf::from("."),
        target: word("target", request.target.as_deref())?.unwrap_or(Target::Manifests),
        components: request.components,
        phases: request.phases,
        output: None,
        allow_empty: request.allow_empty,
        repository: request.repository,
        content: request.content,
        content_gate: request.content_gate,
        reading: Reading {
            environment: request.environment,
            ignore_existing_order: false,
            namespace: request.namespace,
            waves: word::<Waves>("waves", request.waves.as_deref())?,
            scope: None,
            settings: None,
            threads: None,
            kube_version: Some(request.kube_version),
            api_versions: request.api_versions,
            tools: args.tools,
        },
    };
    render::run(&args)
}

fn word<T: ValueEnum>(parameter: &str, text: Option<&str>) -> Result<Option<T>, Problems> {
    let Some(text) = text else { return Ok(None) };
    T::from_str(text, false).map(Some).map_err(|_| {
        let known: Vec<_> = T::value_variants().iter().filter_map(ValueEnum::to_possible_value).collect();
        let known: Vec<&str> = known.iter().map(clap::builder::PossibleValue::get_name).collect();
        // The value is not shown: nobody knows what was put there by mistake.
        Problem::new("invalid-parameter", format!("parameter `{parameter}` has a value it cannot have"))
            .help(suggestion(text, known))
            .into()
    })
}
