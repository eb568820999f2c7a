use std::fmt;

/// Why a parameter could not be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterError {
    /// There is no parameter of this name.
    Unknown {
        /// The name that was asked for.
        name: String,
        /// Similar names, most similar first.
        near: Vec<&'static str>,
    },
    /// KataGo's parameter of this name has no effect here, for this reason.
    NoEffect(String, &'static str),
    /// The value is invalid; the text says what is expected.
    Value(String),
    /// It can only be set when the program starts, or by its own command.
    TooLate(&'static str),
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterError::Unknown { name, near } => {
                write!(f, "there is no parameter '{name}'")?;
                if !near.is_empty() {
                    write!(f, "; did you mean {}?", near.join(" or "))?;
                }
                Ok(())
            }
            ParameterError::NoEffect(name, why) => {
                write!(f, "KataGo's parameter '{name}' has no effect here: {why}")
            }
            ParameterError::Value(what) => f.write_str(what),
            ParameterError::TooLate(name) => {
                let command = COMMANDS.iter().find(|(of, _)| of == name);
                match command {
                    Some((_, command)) => write!(f, "{name} is set by the command {command}"),
                    None => write!(f, "{name} is set when the program starts"),
                }
            }
        }
    }
}

impl std::error::Error for ParameterError {}

/// Parameters with their own command.
const COMMANDS: [(&str, &str); 3] = [
    ("rules", "kata-set-rules"),
    ("komi", "komi"),
    ("size", "boardsize"),
];
