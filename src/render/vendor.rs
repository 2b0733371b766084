//! Commands that bring what is not in the repo into it. They can be run as they are: words of the repo are quoted where a
//! shell would read more into them.

use super::remote::RemoteChart;
use crate::disk;

/// Fetches a chart, into a folder where one is said.
#[must_use]
pub fn pull(chart: &RemoteChart, into: Option<&str>) -> String {
    let RemoteChart { name, repository, version, .. } = chart;
    let mut words = vec!["helm".to_owned(), "pull".to_owned()];
    match repository.strip_prefix("oci://") {
        Some(_) => words.push(format!("{}/{name}", repository.trim_end_matches('/'))),
        None => words.extend([name.clone(), "--repo".to_owned(), repository.clone()]),
    }
    words.extend(version.iter().flat_map(|version| ["--version".to_owned(), version.clone()]));
    words.push("--untar".to_owned());
    words.extend(into.iter().flat_map(|folder| ["--untardir".to_owned(), (*folder).to_owned()]));
    command(&words)
}

/// Fetches the charts that a chart of the repo depends on.
#[must_use]
pub fn dependencies(chart: &str) -> String {
    let chart =
        if chart.is_empty() || chart.starts_with('-') { disk::argument(chart) } else { chart.to_owned() };
    command(&["helm".to_owned(), "dependency".to_owned(), "build".to_owned(), chart])
}

/// Fetches what a kustomization names: a file, or what a folder of somebody else's builds to.
#[must_use]
pub fn address(address: &str) -> String {
    let path = address.split(['?', '#']).next().unwrap_or(address);
    let is_file = [".yaml", ".yml", ".json"].iter().any(|ending| path.ends_with(ending));
    if is_file && path.starts_with("http") {
        return command(&["curl", "-fsSLO", address].map(str::to_owned));
    }
    let words = command(&["kustomize", "build", address].map(str::to_owned));
    format!("{words} > base.yaml")
}

fn command(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_vendors_a_chart_can_be_run_as_it_is() {
        for (repository, version, into, expected) in [
            (
                "https://charts.example.com",
                None,
                None,
                "helm pull vault --repo https://charts.example.com --untar",
            ),
            (
                "https://charts.example.com",
                Some("1.2.3"),
                None,
                "helm pull vault --repo https://charts.example.com --version 1.2.3 --untar",
            ),
            (
                "oci://r.example.com/x/",
                Some(">=1 <2"),
                None,
                "helm pull oci://r.example.com/x/vault --version '>=1 <2' --untar",
            ),
            (
                "https://a.example.com/$(id)",
                None,
                Some("apps/it's/charts"),
                r"helm pull vault --repo 'https://a.example.com/$(id)' --untar --untardir 'apps/it'\''s/charts'",
            ),
        ] {
            let chart = RemoteChart {
                name: "vault".to_owned(),
                repository: repository.to_owned(),
                version: version.map(str::to_owned),
                ..RemoteChart::default()
            };
            assert_eq!(pull(&chart, into), expected);
        }
    }

    #[test]
    fn a_file_is_fetched_and_a_folder_is_built() {
        for (text, expected) in [
            ("https://example.com/a/x.yaml", "curl -fsSLO https://example.com/a/x.yaml"),
            ("https://example.com/x.yaml?token=a", "curl -fsSLO 'https://example.com/x.yaml?token=a'"),
            (
                "github.com/org/repo//deploy?ref=v1",
                "kustomize build 'github.com/org/repo//deploy?ref=v1' > base.yaml",
            ),
            ("git@example.com:a/b.git", "kustomize build git@example.com:a/b.git > base.yaml"),
        ] {
            assert_eq!(address(text), expected);
        }
    }
}
