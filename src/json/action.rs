//! Queries with an `action`, except `ponnuki_solve`.

use super::analysts::AnalysisServer;
use super::answer;
use super::fields::{self, Diagnostic, Fields};
use super::output::AnswerWriter;
use super::queue::{Queue, Selection};
use crate::katago::KATAGO;
use crate::player::version;
use serde_json::{Value, json};

/// Carry out the action that a query names.
///
/// # Errors
/// If the action is unknown or a required field is missing.
pub fn run(
    f: &Fields<'_>,
    action: &str,
    server: &AnalysisServer,
    queue: &Queue,
    output: &AnswerWriter<'_>,
) -> Result<(), Diagnostic> {
    let mut echo = f.object().clone();
    let mut put = |key: &str, value: Value| echo.insert(key.to_owned(), value);
    let mut ended = Vec::new();
    match action {
        "query_version" => {
            put("version", json!(KATAGO));
            put("git_hash", json!("<omitted>"));
            put("engine", json!("Ponnuki"));
            put("engineVersion", json!(version()));
        }
        "query_models" => {
            put("models", server.models.clone());
        }
        "clear_cache" => server.clear_cache(),
        "terminate" => {
            let id = f.get("terminateId").and_then(Value::as_str);
            let missing =
                "Requests for a terminate action must have a string \"terminateId\" field";
            let id = id.ok_or_else(|| f.diagnose("terminateId", missing))?;
            ended = queue.terminate(&selection(f, Some(id))?);
        }
        "terminate_all" => ended = queue.terminate(&selection(f, None)?),
        _ => {
            let why = "'action' field must be 'query_version' or 'query_models' or 'clear_cache' or \
                       'terminate' or 'terminate_all' or 'ponnuki_solve'";
            return Err(f.diagnose("action", why));
        }
    }
    output.write(&Value::Object(echo));
    for task in ended {
        output.write(&answer::no_results(&task.query.id, task.turn));
    }
    Ok(())
}

fn selection(f: &Fields<'_>, id: Option<&str>) -> Result<Selection, Diagnostic> {
    Ok(Selection {
        id: id.map(str::to_owned),
        turns: f.optional("turnNumbers", |v| fields::integers(v, i64::MIN, i64::MAX))?,
    })
}
