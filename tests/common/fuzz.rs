//! Tests of hostile input, for the fuzzer (`fuzz/`) and for `tests/replay.rs`, which replays its
//! corpus.

use ponnuki::analysis::{Analyst, EvaluatorChoice, Limits};
use ponnuki::configuration::Configuration;
use ponnuki::gtp::Session;
use ponnuki::json::{AnalysisServer, serve};
use ponnuki::katago;
use ponnuki::net::Model;
use ponnuki::player::{Engine, Settings};
use ponnuki::rules::Ruleset;
use ponnuki::sgf;
use ponnuki::types::BoardSize;
use std::io::Cursor;

/// A folder in `fuzz/corpus`, and the test of its files.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 6] = [
    ("gtp", gtp),
    ("sgf", sgf_file),
    ("net", net),
    ("rules", rules),
    ("query", query),
    ("settings", settings),
];

fn small() -> Settings {
    Settings {
        size: Some(BoardSize::square(5)),
        limits: Limits::of_playouts(3),
        threads: 1,
        memory: 1 << 20,
        evaluator: EvaluatorChoice::Playouts,
        ..Settings::default()
    }
}

/// Send lines of the Go Text Protocol to a session.
pub fn gtp(data: &[u8]) {
    let mut session = Session::new(Engine::new(small()).unwrap());
    // With a clock running, judgements are short, which allows ten times as many inputs.
    session.reply(b"time_settings 2 0 0");
    for line in data.split(|&b| b == b'\n').take(40) {
        // Files are tested elsewhere, and judgements of large boards take long.
        let text = String::from_utf8_lossy(line);
        if text.contains("sgf") || text.contains("bench") {
            continue;
        }
        let position = session.engine.position();
        if position.size().area() > 81 {
            session.reply(b"boardsize 5");
        }
        let Some(reply) = session.reply(line) else {
            continue;
        };
        assert!(reply.starts_with(['=', '?']), "{text:?}: {reply:?}");
        assert!(reply.ends_with("\n\n"), "{text:?}: {reply:?}");
        assert!(!reply.trim_end().contains("\n\n"), "{text:?}: {reply:?}");
        let failed = reply.contains("internal error") && !text.contains("internal error");
        assert!(!failed, "{text:?}: {reply:?}");
        session.engine.position().board().check().unwrap();
    }
}

/// Read a game record; what is written reads back as the same game.
pub fn sgf_file(data: &[u8]) {
    for game in sgf::games(data).take(3) {
        let Ok(record) = sgf::read(game, &Ruleset::default(), None) else {
            continue;
        };
        record.position.board().check().unwrap();
        let text = sgf::write(&record.position, &record.info);
        let back = sgf::read(text.as_bytes(), &Ruleset::default(), None).unwrap();
        assert_eq!(back.position.board(), record.position.board(), "{text}");
        assert_eq!(
            back.position.turns().len(),
            record.position.turns().len(),
            "{text}"
        );
        assert_eq!(sgf::write(&back.position, &back.info), text);
    }
}

/// Read a network file.
pub fn net(data: &[u8]) {
    let _ = Model::read(Cursor::new(data.to_vec()));
}

/// Read rules, by name or as JSON; what is written reads back as the same rules.
pub fn rules(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    for rules in [Ruleset::parse(text), Ruleset::parse_for_katago(text)] {
        let Ok(rules) = rules else { continue };
        let json = rules.to_json();
        let back = Ruleset::parse(&json).unwrap();
        assert_eq!(back.to_json(), json);
    }
}

/// Answer lines of the analysis protocol.
pub fn query(data: &[u8]) {
    let settings = small();
    let analyst = Analyst::new(
        &settings.evaluator,
        settings.resources(),
        settings.params.clone(),
    );
    let mut configuration = Configuration::from(settings);
    configuration.front_end.analysis_threads = Some(1);
    let server = AnalysisServer::new(configuration, analyst.unwrap()).unwrap();
    let mut answers = Vec::new();
    let mut input = Cursor::new(data.to_vec());
    serve(server, &mut input, &mut answers, true, |_| ()).unwrap();
    for line in answers.split(|&b| b == b'\n').filter(|l| !l.is_empty()) {
        let _: serde_json::Value = serde_json::from_slice(line).unwrap();
    }
}

/// Read a configuration file, TOML or KataGo's, and parameters as lines `name=value`.
pub fn settings(data: &[u8]) {
    for katago in [false, true] {
        if let Err(e) = ponnuki::cli::configured(data, katago) {
            assert!(e.contains(", line ") || e.contains("include"), "{e}");
        }
    }
    let mut all = Configuration::from(small());
    for line in String::from_utf8_lossy(data).lines() {
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        let _ = katago::set(&mut all, name, value);
        let _ = katago::apply_key(&mut all, name, value);
    }
}
