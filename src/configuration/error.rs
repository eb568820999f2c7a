use std::fmt;

/// Why a parameter could not be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterError {
    /// There is none of this name; these are nearest to it.
    Unknown {
        /// The name that was asked for.
        name: String,
        /// Names like it, best first.
        near: Vec<&'static str>,
    },
    /// KataGo has one of this name, and why there is none here.
    NoEffect(String, &'static str),
    /// What the value should be.
    Value(String),
    /// It is set before the first game, or the protocol has a command of its own for it.
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

/// Commands of the protocol that set what no parameter command does.
const COMMANDS: [(&str, &str); 3] = [
    ("rules", "kata-set-rules"),
    ("komi", "komi"),
    ("size", "boardsize"),
];
