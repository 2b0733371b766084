//! The real parts: how each is built, started, asked and ended.

pub(crate) mod process;

pub(crate) mod build;

pub(crate) mod repo;

pub(crate) mod repo_server;

pub(crate) mod cluster;

pub(crate) mod stages;

pub(crate) mod argocd;

pub(crate) mod audit;

pub(crate) mod flux;

pub(crate) mod dockerfile;

pub(crate) mod image;

pub(crate) mod container;

pub(crate) mod sidecar;
