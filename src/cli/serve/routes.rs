//! Addresses: the pages that a GET shows, and what a POST does.

use super::games::{Action, Games};
use super::records::{Records, State};
use super::{BODY, gone};
use crate::configuration::Configuration;
use crate::page::{self, Listed, Start};
use crate::player::Settings;
use crate::rules::PRESETS;
use crate::types::BoardSize;
use hyper::StatusCode;
use serde_json::{Value, json};

/// The pages and the actions.
#[derive(Debug)]
pub(super) struct Site {
    pub games: Games,
    pub records: Records,
    /// The settings of the command line.
    pub settings: Settings,
}

/// The answer to a request.
#[derive(Debug)]
pub(super) struct Answer {
    pub status: StatusCode,
    /// Media type of the body.
    pub kind: &'static str,
    pub body: String,
}

/// The action that ends the engine's thinking.
const MOVE_NOW: &str = "move-now";

const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";
const SGF: &str = "application/x-go-sgf; charset=utf-8";

impl Answer {
    fn ok(kind: &'static str, body: String) -> Answer {
        let status = StatusCode::OK;
        Answer { status, kind, body }
    }

    /// Refuse a request, with the reason as plain text.
    pub fn refused(status: StatusCode, body: String) -> Answer {
        let kind = TEXT;
        Answer { status, kind, body }
    }

    /// Refuse a body of more than [`BODY`] bytes.
    pub fn too_long() -> Answer {
        let why = format!("the request is longer than {BODY} bytes");
        Answer::refused(StatusCode::PAYLOAD_TOO_LARGE, why)
    }

    /// Refuse a request for a game or a record that is no longer kept, or never was, or for a page
    /// or an action that does not exist.
    fn not_found(path: &str) -> Answer {
        let parts: Vec<&str> = path.split('/').skip(1).collect();
        let why = match parts[..] {
            ["games", _] => gone("game"),
            ["games", _, action] if action == MOVE_NOW || Action::named(action).is_some() => {
                gone("game")
            }
            ["records", _] | ["records", _, "solve" | "play" | "state" | "stop"] => gone("record"),
            _ => format!("There is no page {path}."),
        };
        Answer::refused(StatusCode::NOT_FOUND, why)
    }

    /// A result as JSON, or the reason that there is none.
    fn of(result: Result<Value, String>) -> Answer {
        match result {
            Ok(value) => Answer::ok(JSON, value.to_string()),
            Err(why) => Answer::refused(StatusCode::BAD_REQUEST, why),
        }
    }
}

impl Site {
    /// Show a page. Nothing changes, and nothing waits for the engine.
    pub fn show(&self, path: &str) -> Answer {
        let parts: Vec<&str> = path.split('/').skip(1).collect();
        let found = match parts[..] {
            [""] => Some(Answer::ok(HTML, self.start())),
            ["favicon.ico"] => Some(Answer {
                status: StatusCode::NO_CONTENT,
                ..Answer::ok(TEXT, String::new())
            }),
            ["games", name] => match name.strip_suffix(".sgf") {
                Some(number) => self.games.record(number).map(|text| Answer::ok(SGF, text)),
                None => self.games.page(name).map(|html| Answer::ok(HTML, html)),
            },
            ["records", number] => match self.records.state(number) {
                Some(State::Done(html)) => Some(Answer::ok(HTML, html.to_string())),
                Some(state) => Some(Answer::ok(TEXT, state.in_words())),
                None => None,
            },
            _ => None,
        };
        found.unwrap_or_else(|| {
            let refused = Answer::not_found(path);
            Answer {
                kind: HTML,
                body: page::missing(&refused.body),
                ..refused
            }
        })
    }

    /// Carry out a request from a page.
    pub async fn act(&self, path: &str, query: &str, body: Vec<u8>) -> Answer {
        let parts: Vec<&str> = path.split('/').skip(1).collect();
        match parts[..] {
            ["games"] => Answer::of(self.games.begin(body, None).await),
            ["games", number, MOVE_NOW] => match self.games.move_now(number) {
                true => Answer::of(Ok(json!({}))),
                false => Answer::not_found(path),
            },
            ["games", number, action] => match self.games.act(number, action, query, body).await {
                Some(result) => Answer::of(result),
                None => Answer::not_found(path),
            },
            ["records", task @ ("review" | "score" | "solve" | "play")] => {
                Answer::of(self.records.add(task, query, body.into()))
            }
            ["records", number, "solve"] => match self.records.bytes(number) {
                Some(bytes) => Answer::of(self.records.add("solve", query, bytes)),
                None => Answer::not_found(path),
            },
            ["records", number, "play"] => match self.records.game(number, query) {
                Some(Ok(game)) => Answer::of(self.games.begin(body, Some(game)).await),
                Some(Err(why)) => Answer::of(Err(why)),
                None => Answer::not_found(path),
            },
            ["records", number, "state"] => match self.records.progress(number) {
                Some(progress) => Answer::of(progress),
                None => Answer::not_found(path),
            },
            ["records", number, "stop"] => match self.records.stop(number) {
                true => Answer::of(Ok(json!({}))),
                false => Answer::not_found(path),
            },
            _ => Answer::not_found(path),
        }
    }

    fn start(&self) -> String {
        let settings = &self.settings;
        let configuration = Configuration::from(settings.clone());
        let names = ["level", "rules", "komi"];
        let defaults = names.map(|name| (name, configuration.get(name).unwrap_or_default()));
        let rules: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        let games: Vec<Listed> = self.games.list();
        let records: Vec<Listed> = self.records.list();
        Start {
            defaults: &defaults,
            size: settings.size.unwrap_or(BoardSize::square(9)),
            rules: &rules,
            games: &games,
            records: &records,
        }
        .html()
    }
}
