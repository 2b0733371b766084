//! What the names of Crossplane's provider packages say: which groups they serve. There are hundreds, named alike.

/// How a package comes to serve a group; the closest wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// The group is its own.
    Own,
    /// It brings the package of its family along.
    Family,
}

/// Whether the kinds of a group are managed resources, or the configuration of their providers.
#[must_use]
pub fn is_managed(group: &str) -> bool {
    labels(group).is_some()
}

/// Whether the provider package at an address serves a group: `provider-aws-s3` serves `s3.aws.upbound.io`.
#[must_use]
pub fn fit(address: &str, group: &str) -> Option<Fit> {
    let name = address.rsplit('/').next()?.split([':', '@']).next()?;
    let name = name.strip_prefix("provider-")?;
    let name = name.strip_prefix("upjet-").unwrap_or(name);
    match labels(group)?[..] {
        [family] if name == family || name.strip_prefix("family-") == Some(family) => Some(Fit::Own),
        [family] => name.strip_prefix(family)?.starts_with('-').then_some(Fit::Family),
        [service, family] => {
            let rest = name.strip_prefix(family)?;
            (rest.is_empty() || rest.strip_prefix('-') == Some(service)).then_some(Fit::Own)
        }
        _ => None,
    }
}

/// The service and the family in a group's name: none for groups of Crossplane itself.
fn labels(group: &str) -> Option<Vec<&str>> {
    let named = group.strip_suffix(".upbound.io").or_else(|| group.strip_suffix(".crossplane.io"))?;
    let named = named.strip_suffix(".m").unwrap_or(named);
    let is_its_own = matches!(named, "apiextensions" | "pkg" | "ops" | "protection" | "meta");
    (!is_its_own).then(|| named.split('.').collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_serves_the_groups_its_name_says() {
        for (address, group, expected) in [
            ("xpkg.upbound.io/upbound/provider-aws-s3:v1", "s3.aws.upbound.io", Some(Fit::Own)),
            ("xpkg.upbound.io/upbound/provider-aws-s3:v2", "s3.aws.m.upbound.io", Some(Fit::Own)),
            ("xpkg.upbound.io/upbound/provider-aws-s3:v1", "rds.aws.upbound.io", None),
            ("xpkg.upbound.io/upbound/provider-aws-s3:v1", "aws.upbound.io", Some(Fit::Family)),
            ("xpkg.upbound.io/upbound/provider-aws-s3@sha256:0", "s3control.aws.upbound.io", None),
            ("xpkg.upbound.io/upbound/provider-family-aws:v1", "aws.upbound.io", Some(Fit::Own)),
            ("xpkg.upbound.io/upbound/provider-family-aws:v1", "s3.aws.upbound.io", None),
            ("xpkg.upbound.io/upbound/provider-aws:v0", "ec2.aws.upbound.io", Some(Fit::Own)),
            ("crossplane-contrib/provider-sql:v0", "mysql.sql.crossplane.io", Some(Fit::Own)),
            ("crossplane-contrib/provider-upjet-github:v0", "repo.github.upbound.io", Some(Fit::Own)),
            ("crossplane-contrib/provider-aws:v0", "awsx.upbound.io", None),
            ("crossplane-contrib/function-aws:v0", "aws.upbound.io", None),
            ("crossplane-contrib/provider-pkg:v0", "pkg.crossplane.io", None),
        ] {
            assert_eq!(fit(address, group), expected, "{address} {group}");
        }
    }
}
