//! Container images as the provider catalogue knows them.

use std::collections::HashMap;

use super::ProviderRow;

/// Providers by the last part of their images' names, so that a look-up compares a handful, not all.
#[derive(Debug, Default)]
pub struct ImageIndex(HashMap<String, Vec<(String, usize)>>);

impl ImageIndex {
    /// Indexes the images of all providers.
    #[must_use]
    pub fn new(providers: &[ProviderRow]) -> Self {
        let mut map: HashMap<String, Vec<(String, usize)>> = HashMap::new();
        for (index, provider) in providers.iter().enumerate() {
            for image in &provider.images {
                let repository = repository(image).to_owned();
                map.entry(last_part(&repository).to_owned()).or_default().push((repository, index));
            }
        }
        Self(map)
    }

    /// Providers an image belongs to, whatever its tag, digest or mirror.
    pub fn providers_of<'a>(&'a self, image: &'a str) -> impl Iterator<Item = usize> + 'a {
        let image = repository(image);
        let candidates = self.0.get(last_part(image)).into_iter().flatten();
        candidates.filter(move |(known, _)| is_mirror_of(image, known)).map(|(_, index)| *index)
    }
}

fn last_part(repository: &str) -> &str {
    repository.rsplit('/').next().unwrap_or(repository)
}

/// The image without registry host, tag and digest.
fn repository(image: &str) -> &str {
    let image = image.split('@').next().unwrap_or_default();
    let path = match image.rsplit_once(':') {
        Some((path, tag)) if !tag.contains('/') => path,
        _ => image,
    };
    let rest = match path.split_once('/') {
        Some((host, rest)) if host.contains(['.', ':']) || host == "localhost" => rest,
        _ => path,
    };
    rest.strip_prefix("library/").unwrap_or(rest)
}

/// A mirror puts its own folders before the path.
fn is_mirror_of(image: &str, known: &str) -> bool {
    image.strip_suffix(known).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_compared_behind_the_registry() {
        for (known, image, expected) in [
            (
                "quay.io/jetstack/cert-manager-controller",
                "quay.io/jetstack/cert-manager-controller:v1.16.2",
                true,
            ),
            (
                "quay.io/jetstack/cert-manager-controller",
                "mirror.local:5000/jetstack/cert-manager-controller@sha256:ab",
                true,
            ),
            (
                "quay.io/jetstack/cert-manager-controller",
                "mirror.local/proxy/jetstack/cert-manager-controller",
                true,
            ),
            ("quay.io/jetstack/cert-manager-controller", "quay.io/jetstack/cert-manager-webhook:v1", false),
            ("hashicorp/vault", "hashicorp/vault:1.17", true),
            ("hashicorp/vault", "docker.io/hashicorp/vault", true),
            ("hashicorp/vault", "hashicorp/vault-k8s:1.4", false),
            ("hashicorp/vault", "my-hashicorp/vault", false),
            ("vault", "library/vault", true),
        ] {
            assert_eq!(is_mirror_of(repository(image), repository(known)), expected, "{known} {image}");
        }
    }
}
