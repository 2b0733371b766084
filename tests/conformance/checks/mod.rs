//! What is checked on the real parts, one file per key of a case.

pub(crate) mod requests;

pub(crate) mod canaries;

pub(crate) mod overhead;

pub(crate) mod rollout;

pub(crate) mod judgement;

pub(crate) mod order;

pub(crate) mod deletes;

pub(crate) mod install;
