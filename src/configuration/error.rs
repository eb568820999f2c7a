use thiserror::Error;

/// Why a parameter could not be set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParameterError {
    /// There is no parameter of this name.
    #[error("there is no parameter '{name}'{}", suggestion(near))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// Similar names, most similar first.
        near: Vec<&'static str>,
    },
    /// KataGo's parameter of this name has no effect here, for this reason.
    #[error("KataGo's parameter '{0}' has no effect here: {1}")]
    NoEffect(String, &'static str),
    /// The value is invalid; the text says what is expected.
    #[error("{0}")]
    Value(String),
    /// The parameter can only be set when the program starts, or by its own command.
    #[error("{} is set {}", .0, when(.0))]
    TooLate(&'static str),
}

/// Suggest similar names; nothing if there are none.
fn suggestion(near: &[&str]) -> String {
    match near {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(" or ")),
    }
}

/// When or how to set a parameter that cannot be changed by name.
fn when(name: &str) -> &'static str {
    match name {
        "rules" => "by the command kata-set-rules",
        "komi" => "by the command komi",
        "size" => "by the command boardsize",
        _ => "when the program starts",
    }
}
