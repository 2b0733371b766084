//! Addresses of bases in kustomizations: which repository of GitHub they lie in, and whether they bring more than CRDs.

/// The repository, as `github.com/owner/name` in lower case.
#[must_use]
pub fn repository(address: &str) -> Option<String> {
    let plain = address.strip_prefix("git::").unwrap_or(address);
    let plain = plain.split_once("://").map_or(plain, |(_, rest)| rest);
    let plain = plain.strip_prefix("git@").unwrap_or(plain);
    let hosts = ["github.com/", "github.com:", "www.github.com/", "raw.githubusercontent.com/"];
    let path = hosts.iter().find_map(|host| plain.strip_prefix(host))?;
    let mut parts = path.split(['/', '?']);
    let (owner, name) = (parts.next()?, parts.next()?);
    let name = name.strip_suffix(".git").unwrap_or(name);
    let is_there = !owner.is_empty() && !name.is_empty();
    is_there.then(|| format!("github.com/{owner}/{name}").to_ascii_lowercase())
}

/// Whether an address says that it holds CRDs alone: `cert-manager.crds.yaml`, `config/crd`.
#[must_use]
pub fn is_only_crds(address: &str) -> bool {
    let path = address.split('?').next().unwrap_or_default().to_ascii_lowercase();
    let words = path.split(|c: char| !c.is_ascii_alphanumeric());
    let mut words = words.skip_while(|word| *word != "com");
    words.any(|word| matches!(word, "crd" | "crds"))
}

#[cfg(test)]
mod tests {
    use super::{is_only_crds, repository};

    #[test]
    fn all_forms_of_an_address_name_their_repository() {
        for (address, expected) in [
            ("https://github.com/Org/repo/releases/download/v1/all.yaml", Some("github.com/org/repo")),
            ("https://raw.githubusercontent.com/org/repo/v1/all.yaml", Some("github.com/org/repo")),
            ("github.com/org/repo//deploy?ref=v1", Some("github.com/org/repo")),
            ("github.com/org/repo?ref=v1", Some("github.com/org/repo")),
            ("git@github.com:org/repo.git", Some("github.com/org/repo")),
            ("ssh://git@github.com/org/repo.git//x", Some("github.com/org/repo")),
            ("https://example.com/github.com/org/repo", None),
            ("https://github.com/org", None),
        ] {
            assert_eq!(repository(address).as_deref(), expected, "{address}");
        }
    }

    #[test]
    fn addresses_may_say_that_they_hold_only_crds() {
        for (address, expected) in [
            (
                "https://github.com/cert-manager/cert-manager/releases/download/v1/cert-manager.crds.yaml",
                true,
            ),
            ("github.com/kubernetes-csi/external-snapshotter//client/config/crd?ref=v6", true),
            ("https://github.com/cert-manager/cert-manager/releases/download/v1/cert-manager.yaml", false),
            ("github.com/org/repo//deploy?ref=crd", false),
        ] {
            assert_eq!(is_only_crds(address), expected, "{address}");
        }
    }
}
