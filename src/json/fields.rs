//! Reading the fields of a JSON query, with KataGo's error messages.

use crate::types::{BoardSize, Color, Move, Point};
use serde_json::{Map, Value, json};

/// An error or warning about a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The query's `id`, if it has one.
    pub id: Option<String>,
    /// The field with the problem, if it is in a field.
    pub field: Option<String>,
    /// The message.
    pub message: String,
}

impl Diagnostic {
    /// Create an error about the whole line.
    pub fn of_line(message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            id: None,
            field: None,
            message: message.into(),
        }
    }

    /// The answer that reports this as an error; the query is not carried out.
    pub fn error(&self) -> Value {
        self.answer("error")
    }

    /// The answer that reports this as a warning; the query is carried out.
    pub fn warning(&self) -> Value {
        self.answer("warning")
    }

    fn answer(&self, kind: &str) -> Value {
        let mut answer = Map::new();
        answer.insert(kind.to_owned(), json!(self.message));
        for (key, value) in [("id", &self.id), ("field", &self.field)] {
            if let Some(value) = value {
                answer.insert(key.to_owned(), json!(value));
            }
        }
        Value::Object(answer)
    }
}

/// Message that says what a field must be.
type Wrong = String;

/// The fields of a query.
#[derive(Debug)]
pub struct Fields<'a> {
    /// The query's `id`.
    pub id: &'a str,
    object: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    /// Wrap a query's object.
    ///
    /// # Errors
    /// If the object has no `id` that is a string.
    pub fn new(object: &'a Map<String, Value>) -> Result<Fields<'a>, Diagnostic> {
        match object.get("id").and_then(Value::as_str) {
            Some(id) => Ok(Fields { id, object }),
            None => Err(Diagnostic::of_line(
                "Request must have a string \"id\" field",
            )),
        }
    }

    /// All fields.
    pub fn object(&self) -> &'a Map<String, Value> {
        self.object
    }

    /// A field, if it is present and not `null`.
    pub fn get(&self, field: &str) -> Option<&'a Value> {
        self.object.get(field).filter(|v| !v.is_null())
    }

    /// Create an error or a warning about a field.
    pub fn diagnose(&self, field: &str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            id: Some(self.id.to_owned()),
            field: Some(field.to_owned()),
            message: message.into(),
        }
    }

    /// Read an optional field.
    ///
    /// # Errors
    /// If `read` fails.
    pub fn optional<T>(
        &self,
        field: &str,
        read: impl FnOnce(&'a Value) -> Result<T, Wrong>,
    ) -> Result<Option<T>, Diagnostic> {
        let value = self.get(field).map(read).transpose();
        value.map_err(|wrong| self.diagnose(field, wrong))
    }

    /// Read a boolean field; false if it is missing.
    ///
    /// # Errors
    /// If the field is not a boolean.
    pub fn truth(&self, field: &str) -> Result<bool, Diagnostic> {
        let read = |v: &Value| v.as_bool().ok_or_else(|| "Must be a boolean".to_owned());
        Ok(self.optional(field, read)?.unwrap_or(false))
    }
}

/// Read an integer from `least` to `most`. Floats with an integer value are accepted.
pub fn integer(v: &Value, least: i64, most: i64) -> Result<i64, Wrong> {
    let float = || v.as_f64().filter(|x| x.fract() == 0.0 && x.abs() < 1e15);
    let number = v.as_i64().or_else(|| float().map(|x| x as i64));
    number
        .filter(|n| (least..=most).contains(n))
        .ok_or_else(|| format!("Must be an integer from {least} to {most}"))
}

/// Read a number from `least` to `most`.
pub fn float(v: &Value, least: f64, most: f64) -> Result<f64, Wrong> {
    v.as_f64()
        .filter(|x| (least..=most).contains(x))
        .ok_or_else(|| format!("Must be a number from {least} to {most}"))
}

/// Read a player: `B`, `W`, `black` or `white` in any case.
pub fn player(v: &Value) -> Result<Color, Wrong> {
    let name = v.as_str().unwrap_or_default();
    name.parse()
        .map_err(|_| "Must be \"b\" or \"w\"".to_owned())
}

/// Read a vertex on a board of this size: `D4`, `pass`, or `(3,15)`: column from the left
/// and row from the top, both from 0.
pub fn vertex(v: &Value, size: BoardSize) -> Result<Move, Wrong> {
    let text = v.as_str().unwrap_or_default().trim();
    let bad = || format!("Could not parse board location: {v}");
    let pair = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    let mv = match pair.and_then(|t| t.split_once(',')) {
        Some((x, y)) => {
            let x: u8 = x.trim().parse().map_err(|_| bad())?;
            let y: u8 = y.trim().parse().map_err(|_| bad())?;
            if x >= size.width() || y >= size.height() {
                return Err(bad());
            }
            Move::Play(Point::new(x, size.height() - 1 - y))
        }
        None => text.parse().map_err(|_| bad())?,
    };
    match mv.point() {
        Some(p) if !size.contains(p) => Err(bad()),
        _ => Ok(mv),
    }
}

/// Read an array of pairs of a player and a vertex.
pub fn turns(v: &Value, size: BoardSize) -> Result<Vec<(Color, Move)>, Wrong> {
    let bad = || {
        let pairs = "an array of pairs of the form: [\"b\" or \"w\", GTP board vertex]";
        format!("Must be {pairs}")
    };
    let turn = |pair: &Value| match pair.as_array().map(Vec::as_slice) {
        Some([c, p]) => Ok((player(c)?, vertex(p, size)?)),
        _ => Err(bad()),
    };
    v.as_array().ok_or_else(bad)?.iter().map(turn).collect()
}

/// Read an array of integers from `least` to `most`.
pub fn integers(v: &Value, least: i64, most: i64) -> Result<Vec<i64>, Wrong> {
    let all = v.as_array().ok_or("Must be an array of integers")?;
    all.iter().map(|n| integer(n, least, most)).collect()
}
