//! KataGo's analysis protocol over the real binary's pipes.

mod common;

use common::folder::Folder;
use common::long;
use common::process::{Process, here};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::process::Command;
use std::time::{Duration, Instant};

const NETWORK: &str = "training/networks/b10c64.bin.gz";

struct Engine(Process);

impl Engine {
    fn start(flags: &[&str]) -> Engine {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ponnuki"));
        let command = command.arg("analysis").args(flags).current_dir(here());
        Engine(Process::spawn(command.stderr(std::process::Stdio::null())))
    }

    fn with_network(flags: &[&str]) -> Engine {
        Engine::start(&[&["-model", NETWORK], flags].concat())
    }

    fn send(&mut self, query: &Value) {
        self.0.send(&format!("{query}\n"));
    }

    fn answer(&mut self) -> Value {
        let line = self.0.line();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"))
    }

    fn ask(&mut self, query: &Value) -> Value {
        self.send(query);
        self.answer()
    }
}

/// A query about an empty 9x9 board, with more fields.
fn query(id: &str, more: Value) -> Value {
    let mut query = json!({
        "id": id, "rules": "chinese", "komi": 7, "boardXSize": 9, "boardYSize": 9,
        "moves": [], "maxVisits": 12,
    });
    for (key, value) in more.as_object().unwrap() {
        query[key] = value.clone();
    }
    query
}

fn number(v: &Value) -> f64 {
    v.as_f64().unwrap_or_else(|| panic!("{v} is no number"))
}

#[test]
fn compact_rules_of_katago_are_those_of_a_query() {
    let mut e = Engine::start(&["-override-config", "net=off"]);
    let asked = json!({"rules": "koSITUATIONALscoreAREAtaxNONEsui0whbN-1fpok1"});
    let answer = e.ask(&query("compact", asked));
    assert!(answer["moveInfos"].is_array(), "{answer}");
}

#[test]
fn an_answer_has_every_field() {
    let mut e = Engine::with_network(&[]);
    let asked = query(
        "all",
        json!({
            "boardXSize": 9, "boardYSize": 7,
            "moves": [["B", "D4"], ["W", "F4"], ["b", "(2,1)"]],
            "maxVisits": 60, "includeOwnership": true, "includeOwnershipStdev": true,
            "includeMovesOwnership": true, "includeMovesOwnershipStdev": true,
            "includePolicy": true, "includePVVisits": true, "includeNoResultValue": true,
            "rules": "japanese",
        }),
    );
    let a = e.ask(&asked);
    assert_eq!((&a["id"], &a["turnNumber"]), (&json!("all"), &json!(3)));
    assert_eq!(a["isDuringSearch"], false);
    let root = &a["rootInfo"];
    assert_eq!(root["currentPlayer"], "W");
    assert_eq!(root["visits"], 60);
    for key in [
        "winrate",
        "scoreLead",
        "scoreSelfplay",
        "scoreStdev",
        "utility",
        "weight",
        "rawWinrate",
        "rawLead",
        "rawScoreSelfplay",
        "rawScoreSelfplayStdev",
        "rawNoResultProb",
        "rawStWrError",
        "rawStScoreError",
        "rawVarTimeLeft",
        "noResultValue",
    ] {
        number(&root[key]);
    }
    assert_eq!(root["symHash"].as_str().unwrap().len(), 32);
    // Ogatak compares it with KataGo's own and warns of others.
    assert!(root["thisHash"].is_null());
    let policy = a["policy"].as_array().unwrap();
    assert_eq!(policy.len(), 64);
    let sum: f64 = policy.iter().map(number).filter(|p| *p >= 0.0).sum();
    assert!((sum - 1.0).abs() < 1e-3, "{sum}");
    // D4, F4 and the point in the third column and the second row from the top.
    for taken in [3 * 9 + 3, 3 * 9 + 5, 9 + 2] {
        assert_eq!(number(&policy[taken]), -1.0);
    }
    let moves = a["moveInfos"].as_array().unwrap();
    let visits: f64 = moves.iter().map(|m| number(&m["visits"])).sum();
    assert_eq!(visits, 59.0, "the root's own visit is one of the sixty");
    for (order, m) in moves.iter().enumerate() {
        assert_eq!(m["order"], order);
        for key in [
            "winrate",
            "lcb",
            "utility",
            "utilityLcb",
            "prior",
            "scoreLead",
            "scoreMean",
            "scoreSelfplay",
            "scoreStdev",
            "weight",
            "edgeVisits",
            "edgeWeight",
            "playSelectionValue",
            "noResultValue",
        ] {
            number(&m[key]);
        }
        let pv = m["pv"].as_array().unwrap();
        assert_eq!(pv[0], m["move"]);
        assert_eq!(m["pvVisits"].as_array().unwrap().len(), pv.len());
        assert_eq!(m["pvVisits"][0], m["visits"]);
        for key in ["ownership", "ownershipStdev"] {
            assert_eq!(m[key].as_array().unwrap().len(), 63);
        }
    }
    assert_eq!(a["ownership"].as_array().unwrap().len(), 63);
    assert_eq!(a["ownershipStdev"].as_array().unwrap().len(), 63);
    // Fewer moves are reported if requested.
    let plain = e.ask(&query("plain", json!({})));
    for key in ["ownership", "ownershipStdev", "policy", "noResults"] {
        assert_eq!(plain.get(key), None);
    }
    assert!(plain["moveInfos"][0].get("pvVisits").is_none());
}

#[test]
fn values_are_those_of_the_requested_player() {
    let mut e = Engine::with_network(&["--threads", "1"]);
    let seen_by = |e: &mut Engine, perspective: &str| {
        let settings = json!({"reportAnalysisWinratesAs": perspective});
        let moves = json!([["B", "E5"]]);
        let more = json!({"overrideSettings": settings, "moves": moves, "includeOwnership": true});
        e.ask(&query(perspective, more))
    };
    let [white, black, mover] = ["WHITE", "BLACK", "SIDETOMOVE"].map(|p| seen_by(&mut e, p));
    assert_eq!(white["rootInfo"]["winrate"], mover["rootInfo"]["winrate"]);
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} {b}");
    near(
        number(&white["rootInfo"]["winrate"]),
        1.0 - number(&black["rootInfo"]["winrate"]),
    );
    near(
        number(&white["rootInfo"]["rawLead"]),
        -number(&black["rootInfo"]["rawLead"]),
    );
    near(
        number(&white["ownership"][40]),
        -number(&black["ownership"][40]),
    );
    let first = |a: &Value, key: &str| number(&a["moveInfos"][0][key]);
    near(first(&white, "scoreLead"), -first(&black, "scoreLead"));
    near(first(&white, "winrate"), 1.0 - first(&black, "winrate"));
    // Black stands on the middle point.
    assert!(number(&black["ownership"][40]) > 0.0);
}

#[test]
fn errors_name_the_field_and_the_id() {
    let mut e = Engine::start(&[]);
    for (more, field, words) in [
        (
            json!({"boardXSize": null}),
            "boardXSize",
            "Must provide an integer",
        ),
        (json!({"boardYSize": 26}), "boardYSize", "from 2 to 25"),
        (json!({"moves": null}), "moves", "Must specify"),
        (
            json!({"moves": [["B", "D4"], ["W", "D4"]]}),
            "moves",
            "Illegal move 1: D4",
        ),
        (
            json!({"moves": [["B", "K10"]]}),
            "moves",
            "Could not parse board location",
        ),
        (
            json!({"moves": [["X", "D4"]]}),
            "moves",
            "Must be \"b\" or \"w\"",
        ),
        (json!({"moves": ["D4"]}), "moves", "array of pairs"),
        (
            json!({"initialStones": [["B", "pass"]]}),
            "initialStones",
            "pass",
        ),
        (
            json!({"rootPolicyTemperature": 0}),
            "rootPolicyTemperature",
            "expected a number from 0.01 to 100, not '0'",
        ),
        (
            json!({"rules": "calvinball"}),
            "rules",
            "Could not parse rules",
        ),
        (json!({"rules": 3}), "rules", "Must specify rules"),
        (json!({"komi": 6.75}), "komi", "half-integer"),
        (json!({"komi": 1e9}), "komi", "from -400"),
        (json!({"analyzeTurns": [1]}), "analyzeTurns", "from 0 to 0"),
        (json!({"analyzeTurns": []}), "analyzeTurns", "at least one"),
        (json!({"priorities": [1]}), "priorities", "analyzeTurns"),
        (
            json!({"priorities": [1, 2], "analyzeTurns": [0]}),
            "priorities",
            "matching length",
        ),
        (json!({"maxVisits": 0}), "maxVisits", "from 1"),
        (json!({"maxVisits": "many"}), "maxVisits", "number"),
        (json!({"includePolicy": 1}), "includePolicy", "boolean"),
        (json!({"overrideSettings": 1}), "overrideSettings", "object"),
        (
            json!({"overrideSettings": {"cpuctExploration": -1}}),
            "overrideSettings",
            "cpuctExploration",
        ),
        (
            json!({"avoidMoves": [{"player": "B", "moves": ["D4"]}]}),
            "avoidMoves",
            "untilDepth",
        ),
        (
            json!({"avoidMoves": [], "allowMoves": []}),
            "allowMoves",
            "both",
        ),
        (json!({"action": "dance"}), "action", "query_version"),
        (json!({"action": "terminate"}), "terminateId", "terminateId"),
        (
            json!({"reportDuringSearchEvery": 0}),
            "reportDuringSearchEvery",
            "from 0.001",
        ),
    ] {
        let a = e.ask(&query("bad", more.clone()));
        assert_eq!(a["id"], "bad", "{more}: {a}");
        assert_eq!(a["field"], field, "{more}: {a}");
        assert!(a["error"].as_str().unwrap().contains(words), "{more}: {a}");
    }
    for line in [
        "{",
        "[]",
        "null",
        "{}",
        "{\"id\":3}",
        "\u{0}",
        "{\"id\":\"\\ud800\"}",
    ] {
        e.0.send(&format!("{line}\n"));
        assert!(e.answer()["error"].is_string(), "{line}");
    }
    // One answer, whatever the length of the line.
    let long = format!("{{\"id\":\"{}\"}}\n", "x".repeat(65 << 20));
    e.0.send(&long);
    let error = e.answer()["error"].to_string();
    assert!(error.contains("longer than 64 MiB"), "{error}");
    // Unknown fields and settings do no harm.
    e.send(&query(
        "odd",
        json!({"bogus": 1, "overrideSettings": {"foo": 1, "nnRandomize": true}}),
    ));
    let warnings: Vec<Value> = (0..3).map(|_| e.answer()).collect();
    for (warning, words) in warnings.iter().zip(["foo", "nnRandomize", "unused field"]) {
        assert!(
            warning["warning"].as_str().unwrap().contains(words),
            "{warning}"
        );
    }
    assert_eq!(e.answer()["rootInfo"]["visits"], 12);
}

#[test]
fn games_from_servers_are_understood() {
    let mut e = Engine::start(&[]);
    let player =
        |e: &mut Engine, more: Value| e.ask(&query("p", more))["rootInfo"]["currentPlayer"].clone();
    let two = json!([["B", "C3"], ["B", "G7"]]);
    assert_eq!(player(&mut e, json!({})), "B");
    assert_eq!(player(&mut e, json!({"initialStones": two})), "W");
    assert_eq!(
        player(&mut e, json!({"initialStones": two, "initialPlayer": "b"})),
        "B"
    );
    assert_eq!(
        player(&mut e, json!({"moves": [["W", "C3"]], "analyzeTurns": [0]})),
        "W"
    );
    assert_eq!(
        player(&mut e, json!({"moves": [["W", "C3"], ["W", "G7"]]})),
        "B"
    );
    assert_eq!(
        player(&mut e, json!({"moves": [["B", "pass"], ["W", "pass"]]})),
        "B"
    );
    // A ko retaken at once is accepted, whatever the rules.
    let ko = json!([
        ["B", "C3"],
        ["W", "D3"],
        ["B", "B2"],
        ["W", "E2"],
        ["B", "C1"],
        ["W", "D1"],
        ["B", "D2"],
        ["W", "C2"],
        ["B", "D2"]
    ]);
    assert_eq!(player(&mut e, json!({"moves": ko})), "W");
    // Rotations of a position have the same symHash.
    let hash = |e: &mut Engine, p: &str| {
        e.ask(&query("h", json!({"moves": [["B", p]]})))["rootInfo"]["symHash"].clone()
    };
    assert_eq!(hash(&mut e, "C2"), hash(&mut e, "B7"));
    assert_ne!(hash(&mut e, "C2"), hash(&mut e, "C3"));
}

/// As in KataGo, the last of several stones on a point stays, and chains without liberties are
/// removed.
#[test]
fn later_set_up_stones_replace_earlier_ones() {
    let mut e = Engine::start(&[]);
    let mut hash = |stones: Value| {
        let asked = query("s", json!({"initialStones": stones, "initialPlayer": "B"}));
        let answer = e.ask(&asked);
        assert!(answer["error"].is_null(), "{answer}");
        answer["rootInfo"]["symHash"].clone()
    };
    let plain = hash(json!([["W", "A2"], ["W", "B1"]]));
    assert_eq!(hash(json!([["B", "B1"], ["W", "A2"], ["W", "B1"]])), plain);
    assert_eq!(hash(json!([["B", "A1"], ["W", "A2"], ["W", "B1"]])), plain);
    assert_eq!(hash(json!([["W", "A2"], ["W", "B1"], ["B", "A1"]])), plain);
    assert_ne!(hash(json!([["W", "A2"], ["B", "B1"]])), plain);
}

#[test]
fn any_temperature_of_katagos_is_accepted() {
    let mut e = Engine::with_network(&["--threads", "1"]);
    for temperature in [0.01, 100.0] {
        let warm = json!({"rootPolicyTemperature": temperature, "maxVisits": 30});
        let answer = e.ask(&query("t", warm));
        let moves = answer["moveInfos"].as_array().unwrap();
        let priors: f64 = moves.iter().map(|m| number(&m["prior"])).sum();
        assert!(priors > 0.0 && priors < 1.001, "{answer}");
        assert!((0.0..=1.0).contains(&number(&answer["rootInfo"]["winrate"])));
    }
    let cold = json!({"overrideSettings": {"rootPolicyTemperature": 0.001}});
    let refused = e.ask(&query("t", cold));
    let why = "rootPolicyTemperature: expected a number from 0.01 to 100, not '0.001'";
    assert!(
        refused["error"].as_str().unwrap().ends_with(why),
        "{refused}"
    );
}

/// Some clients start their output with it.
#[test]
fn a_byte_order_mark_before_a_query_does_no_harm() {
    let mut e = Engine::start(&[]);
    e.0.send("\u{feff}");
    assert_eq!(e.ask(&query("m", json!({})))["id"], "m");
}

/// A named ruleset has the komi of an even game, and the player of the first move was to move.
#[test]
fn komi_and_ko_come_from_the_query() {
    let mut e = Engine::with_network(&["--threads", "1"]);
    let lead = |e: &mut Engine, komi: Value| {
        let mut asked = query("k", json!({"initialStones": [["B", "C3"], ["B", "G7"]]}));
        match komi {
            Value::Null => drop(asked.as_object_mut().unwrap().remove("komi")),
            komi => asked["komi"] = komi,
        }
        number(&e.ask(&asked)["rootInfo"]["rawLead"])
    };
    assert_eq!(lead(&mut e, Value::Null), lead(&mut e, json!(7.5)));
    let stones = json!([
        ["B", "D6"],
        ["B", "D4"],
        ["B", "E5"],
        ["B", "C5"],
        ["W", "C6"],
        ["W", "C4"],
        ["W", "B5"]
    ]);
    let retaken = json!({
        "rules": "aga", "initialStones": stones, "moves": [["W", "D5"]], "includePolicy": true,
    });
    let policy = e.ask(&query("r", retaken))["policy"].clone();
    // C5: the third column of the fifth row.
    assert_eq!(number(&policy[4 * 9 + 2]), -1.0);
}

/// Settings of a query take effect, or a warning names them.
#[test]
fn settings_without_effect_in_a_query_are_reported() {
    let mut e = Engine::with_network(&["--threads", "1"]);
    let idle = json!({
        "komi": 50, "rules": "japanese", "koRule": "POSITIONAL", "net": "off", "memory": 1,
    });
    let warning = e.ask(&query("i", json!({"overrideSettings": idle})));
    let text = warning["warning"].as_str().unwrap();
    for key in ["komi", "rules", "koRule", "net", "memory"] {
        assert!(text.contains(key), "{text}");
    }
    let plain = e.answer();
    let acting = json!({"fpu_reduction": 1.5, "wideRootNoise": 0.1, "maxTime": 100});
    let answer = e.ask(&query("i", json!({"overrideSettings": acting})));
    assert_ne!(answer["moveInfos"], plain["moveInfos"]);
    assert!(answer.get("warning").is_none());
}

/// An evaluation does not depend on earlier ones.
#[test]
fn evaluations_depend_on_board_size_and_symmetry() {
    let moves = json!([["B", "G7"], ["W", "F7"], ["B", "B2"], ["W", "C3"]]);
    let win_rate = |e: &mut Engine, size: u32, symmetry: u32| {
        let asked = query(
            "s",
            json!({
                "moves": moves, "boardXSize": size, "boardYSize": size, "maxVisits": 1,
                "rules": "tromp-taylor", "overrideSettings": {"symmetry": symmetry},
            }),
        );
        number(&e.ask(&asked)["rootInfo"]["rawWinrate"])
    };
    let flags = ["--threads", "1", "--analysis-threads", "1"];
    let mut one = Engine::with_network(&flags);
    for (size, symmetry) in [(7, 0), (9, 0), (13, 0), (13, 1), (13, 5)] {
        let mut fresh = Engine::with_network(&flags);
        assert_eq!(
            win_rate(&mut one, size, symmetry),
            win_rate(&mut fresh, size, symmetry),
            "{size} {symmetry}"
        );
    }
}

/// Games that end within the search count for the ownership.
#[test]
fn a_pass_that_ends_the_game_has_ownership() {
    let mut e = Engine::with_network(&["--threads", "1"]);
    let stones: Vec<Value> = (1..=7)
        .flat_map(|row| {
            let [black, white] = [3, 4].map(|x| format!("({x},{})", row - 1));
            [json!(["B", black]), json!(["W", white])]
        })
        .collect();
    let asked = json!({
        "rules": "tromp-taylor", "boardXSize": 7, "boardYSize": 7, "komi": 9,
        "initialStones": stones, "moves": [["B", "B2"], ["W", "pass"]], "maxVisits": 60,
        "includeOwnership": true, "includeMovesOwnership": true,
    });
    let answer = e.ask(&query("o", asked));
    let moves = answer["moveInfos"].as_array().unwrap();
    let pass = moves.iter().find(|m| m["move"] == "pass").unwrap();
    let ownership = pass["ownership"].as_array().unwrap();
    for (i, own) in ownership.iter().enumerate() {
        let black = i % 7 < 4;
        assert_eq!(number(own) > 0.9, black, "{i}");
    }
}

#[test]
fn moves_can_be_avoided_and_allowed() {
    let mut e = Engine::with_network(&[]);
    let moves = |e: &mut Engine, more: Value| -> HashSet<String> {
        let answer = e.ask(&query("r", more));
        let infos = answer["moveInfos"].as_array().unwrap();
        infos
            .iter()
            .map(|m| m["move"].as_str().unwrap().to_owned())
            .collect()
    };
    let only = json!({"player": "B", "moves": ["A1", "J9"], "untilDepth": 1});
    let allowed = moves(&mut e, json!({"allowMoves": [only]}));
    assert_eq!(allowed, ["A1", "J9"].map(str::to_owned).into());
    let best = moves(&mut e, json!({}));
    let without: Vec<&String> = best.iter().collect();
    let rest = json!({"avoidMoves": [{"player": "B", "moves": without, "untilDepth": 2}]});
    assert!(moves(&mut e, rest).is_disjoint(&best));
}

#[test]
fn actions_are_echoed_and_searches_terminated() {
    let mut e = Engine::with_network(&["-analysis-threads", "1"]);
    let version = e.ask(&json!({"id": "v", "action": "query_version", "more": [1]}));
    assert_eq!(
        (&version["id"], &version["more"]),
        (&json!("v"), &json!([1]))
    );
    assert!(version["version"].is_string() && version["git_hash"].is_string());
    let models = e.ask(&json!({"id": "m", "action": "query_models"}));
    assert_eq!(models["models"][0]["version"], 11);
    let cleared = json!({"id": "c", "action": "clear_cache"});
    assert_eq!(e.ask(&cleared), cleared);

    let endless = json!({"maxVisits": 10_000_000, "reportDuringSearchEvery": 0.05});
    e.send(&query("long", endless));
    let first = e.answer();
    assert_eq!(first["isDuringSearch"], true);
    // Others queue behind it and never start.
    e.send(&query(
        "late",
        json!({"moves": [["B", "E5"]], "analyzeTurns": [0, 1]}),
    ));
    e.send(&query("kept", json!({})));
    let end = json!({"id": "t1", "action": "terminate", "terminateId": "late", "turnNumbers": [1]});
    let until = |e: &mut Engine, stop: &dyn Fn(&Value) -> bool| loop {
        let a = e.answer();
        if stop(&a) {
            return a;
        }
        assert_eq!(
            (&a["id"], &a["isDuringSearch"]),
            (&json!("long"), &json!(true)),
            "{a}"
        );
    };
    e.send(&end);
    assert_eq!(until(&mut e, &|a| a["id"] == "t1"), end);
    let never = until(&mut e, &|a| a["id"] == "late");
    let nothing =
        json!({"id": "late", "isDuringSearch": false, "noResults": true, "turnNumber": 1});
    assert_eq!(never, nothing);
    let end = json!({"id": "t2", "action": "terminate", "terminateId": "long"});
    e.send(&end);
    assert_eq!(until(&mut e, &|a| a["id"] == "t2"), end);
    let last = until(&mut e, &|a| a["isDuringSearch"] == false);
    assert_eq!(last["id"], "long");
    assert!(number(&last["rootInfo"]["visits"]) > 0.0);
    let rest: Vec<Value> = (0..2).map(|_| e.answer()).collect();
    assert_eq!(
        (&rest[0]["id"], &rest[0]["turnNumber"]),
        (&json!("late"), &json!(0))
    );
    assert_eq!(rest[1]["id"], "kept");

    e.send(&query("all", json!({"maxVisits": 10_000_000})));
    e.send(&json!({"id": "ta", "action": "terminate_all"}));
    assert_eq!(e.answer()["id"], "ta");
    assert_eq!(e.answer()["id"], "all");
}

/// A question about the group in the corner of a 9x9 board, with more fields.
fn problem(id: &str, more: Value) -> Value {
    let black = ["D9", "D8", "A7", "B7", "C7"].map(|p| json!(["B", p]));
    let white = ["E9", "E8", "D7", "E7", "A6", "B6", "C6"].map(|p| json!(["W", p]));
    let mut query = query(id, json!({"action": "ponnuki_solve", "maxVisits": 1000}));
    query["initialStones"] = [&black[..], &white].concat().into();
    for (key, value) in more.as_object().unwrap() {
        query[key] = value.clone();
    }
    query
}

#[test]
fn a_question_about_a_group_is_answered() {
    let mut e = Engine::start(&["-override-config", "net=off,numAnalysisThreads=1"]);
    e.send(&problem("lives", json!({"chains": ["B7"]})));
    e.send(&problem("dies", json!({"initialPlayer": "W", "moves": []})));
    let lives = e.answer();
    assert_eq!(lives["id"], "lives", "{lives}");
    for (key, value) in [
        ("isDuringSearch", json!(false)),
        ("turnNumber", json!(0)),
        ("currentPlayer", json!("B")),
        ("move", json!("B9")),
        ("result", json!("lives")),
        ("proved", json!(true)),
        ("rightMoves", json!(["B9"])),
        ("groupPlayer", json!("B")),
    ] {
        assert_eq!(lives[key], value, "{key} of {lives}");
    }
    assert_eq!(lives["pv"][0], json!(["B", "B9"]));
    assert_eq!(lives["opponentFirst"]["result"], "kills");
    assert!(lives["group"].as_array().unwrap().contains(&json!("B7")));
    assert!(
        lives["text"]
            .as_str()
            .unwrap()
            .starts_with("B9 lives; proved")
    );
    let variations = lives["variations"].as_array().unwrap();
    let first = |right: bool| {
        let of = variations.iter().filter(move |v| v["right"] == right);
        of.map(|v| v["moves"][0][1].as_str().unwrap())
            .collect::<HashSet<_>>()
    };
    assert_eq!(first(true), HashSet::from(["B9"]));
    assert!(first(false).len() >= 3, "{variations:?}");
    let dies = e.answer();
    assert_eq!(
        (&dies["id"], &dies["currentPlayer"], &dies["result"]),
        (&json!("dies"), &json!("W"), &json!("kills")),
        "{dies}"
    );
}

#[test]
fn a_question_about_no_group_is_refused() {
    let mut e = Engine::start(&["-override-config", "net=off"]);
    for (more, field, why) in [
        (json!({"chains": ["A9"]}), "chains", "A9 is empty at turn 0"),
        (
            json!({"chains": ["B7", "E8"]}),
            "chains",
            "E8 is White's at turn 0",
        ),
        (json!({"chains": "B7"}), "chains", "Must be an array"),
        (json!({"chains": ["pass"]}), "chains", "Must be an array"),
        (
            json!({"chains": ["Q16"]}),
            "chains",
            "Could not parse board location",
        ),
        (
            json!({"initialStones": []}),
            "chains",
            "There is no group to solve",
        ),
        (
            json!({"analyzeTurns": [1]}),
            "analyzeTurns",
            "Must be an integer",
        ),
    ] {
        let refused = e.ask(&problem("no", more));
        assert_eq!(
            (&refused["id"], &refused["field"]),
            (&json!("no"), &json!(field)),
            "{refused}"
        );
        assert!(
            refused["error"].as_str().unwrap().contains(why),
            "{refused}"
        );
    }
    let warned = e.ask(&problem("unused", json!({"includeOwnership": true})));
    assert_eq!(warned["field"], "includeOwnership", "{warned}");
    assert_eq!(e.answer()["move"], "B9");
}

#[test]
fn a_question_about_a_group_can_be_terminated() {
    let mut e = Engine::start(&["-override-config", "net=off,numAnalysisThreads=1"]);
    // More than a proof can go through.
    let wall = (0..7).flat_map(|i| [(i, 13), (7, 18 - i)]);
    let name = |(x, y): (i32, i32)| format!("({x},{})", 18 - y);
    let white = wall.map(|at| json!(["W", name(at)]));
    let black = (0..6).map(|x| json!(["B", name((x, 14))]));
    let endless = json!({
        "boardXSize": 19, "boardYSize": 19, "maxVisits": 1_000_000_000,
        "initialStones": white.chain(black).collect::<Vec<_>>(), "initialPlayer": "W",
        "overrideSettings": {"maxTime": 10_000}, "reportDuringSearchEvery": 0.5,
    });
    e.send(&problem("endless", endless));
    e.send(&problem("waits", json!({})));
    let during = e.answer();
    assert_eq!(
        (&during["id"], &during["isDuringSearch"]),
        (&json!("endless"), &json!(true))
    );
    assert!(
        during["move"].is_string() && number(&during["visits"]) > 0.0,
        "{during}"
    );
    let mut ask = |action: Value| {
        e.send(&action);
        loop {
            let a = e.answer();
            if a["isDuringSearch"] != true {
                return a;
            }
        }
    };
    let end = json!({"id": "t", "action": "terminate", "terminateId": "waits"});
    assert_eq!(ask(end.clone()), end);
    let end = json!({"id": "t2", "action": "terminate", "terminateId": "endless"});
    let never = ask(end.clone());
    assert_eq!(
        (&never["id"], &never["noResults"]),
        (&json!("waits"), &json!(true))
    );
    assert_eq!(e.answer(), end);
    let last = loop {
        let a = e.answer();
        if a["isDuringSearch"] != true {
            break a;
        }
    };
    assert_eq!(last["id"], "endless", "{last}");
    assert!(
        last["move"].is_string() && last["result"].is_string(),
        "{last}"
    );
}

/// The reader used to scan the whole game before every move, and read no other query meanwhile.
#[test]
fn a_game_of_three_hundred_thousand_moves_does_not_delay_terminate() {
    let mut e = Engine::start(&["-analysis-threads", "1"]);
    e.send(&query("endless", json!({"maxVisits": 100_000_000})));
    let game = long::game(300_000);
    let moves: Vec<Value> = game
        .turns()
        .iter()
        .map(|t| json!([t.color.letter().to_string(), t.mv.to_string()]))
        .collect();
    let huge = json!({
        "boardXSize": 19, "boardYSize": 19, "rules": "tromp-taylor", "moves": moves,
        "maxVisits": 1,
    });
    let begun = Instant::now();
    e.send(&query("huge", huge));
    e.send(&json!({"id": "t", "action": "terminate", "terminateId": "endless"}));
    while e.answer()["id"] != "t" {}
    let taken = begun.elapsed();
    assert!(taken < Duration::from_secs(20), "{taken:?}");
}

#[test]
fn the_most_urgent_comes_first_and_the_rest_in_order() {
    let mut e = Engine::start(&["-analysis-threads", "1"]);
    // While this one runs, the others queue.
    e.send(&query("first", json!({"maxVisits": 10_000_000})));
    let moves = json!([["B", "E5"], ["W", "C3"], ["B", "G7"]]);
    let turns = json!([0, 1, 2, 3]);
    let some = json!({"moves": moves, "analyzeTurns": turns, "priorities": [1, 5, -2, 1]});
    e.send(&query("some", some));
    e.send(&query("soon", json!({"priority": 3})));
    e.send(&query("last", json!({"priority": -7})));
    e.send(&json!({"id": "t", "action": "terminate", "terminateId": "first"}));
    assert_eq!(e.answer()["id"], "t");
    let order: Vec<(String, i64)> = (0..7)
        .map(|_| e.answer())
        .map(|a| {
            (
                a["id"].as_str().unwrap().to_owned(),
                a["turnNumber"].as_i64().unwrap(),
            )
        })
        .collect();
    let wanted = [
        ("first", 0),
        ("some", 1),
        ("soon", 0),
        ("some", 0),
        ("some", 3),
        ("some", 2),
        ("last", 0),
    ];
    assert_eq!(order, wanted.map(|(id, turn)| (id.to_owned(), turn)));
}

#[test]
fn at_the_end_of_input_all_queries_are_answered_or_all_ended() {
    let mut e = Engine::start(&[]);
    for i in 0..20 {
        e.send(&query(&i.to_string(), json!({"maxVisits": 50})));
    }
    e.0.close_input();
    let ids: HashSet<String> = (0..20)
        .map(|_| e.answer()["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids.len(), 20);
    assert!(e.0.wait().success());

    let mut e = Engine::start(&["-quit-without-waiting"]);
    for i in 0..20 {
        e.send(&query(&i.to_string(), json!({"maxVisits": 100_000_000})));
    }
    e.0.close_input();
    assert!(e.0.wait().success());
}

/// Every query is answered exactly once, whatever is terminated meanwhile. More with
/// `PONNUKI_QUERIES=5000`.
#[test]
fn nothing_is_lost_among_many_queries() {
    let count: usize = std::env::var("PONNUKI_QUERIES").map_or(400, |n| n.parse().unwrap());
    let mut e = Engine::with_network(&[]);
    let mut open: HashMap<String, usize> = HashMap::new();
    let (mut done, mut acknowledged, mut actions) = (0, 0, 0);
    let letters = "ABCDEFGHJ".as_bytes();
    let take = |e: &mut Engine,
                open: &mut HashMap<String, usize>,
                done: &mut usize,
                acknowledged: &mut usize| {
        let a = e.answer();
        assert!(a.get("error").is_none(), "{a}");
        let id = a["id"].as_str().unwrap();
        if a.get("action").is_some() {
            *acknowledged += 1;
        } else if a["isDuringSearch"] == false {
            let left = open.get_mut(id).unwrap_or_else(|| panic!("twice: {a}"));
            *left -= 1;
            if *left == 0 {
                open.remove(id);
                *done += 1;
            }
        }
    };
    for i in 0..count {
        let id = format!("q{i}");
        let vertex = |n: usize| {
            let column = char::from(letters[n % 9]);
            format!("{column}{}", n / 9 % 9 + 1)
        };
        let moves: Vec<Value> = (0..i % 7)
            .map(|k| json!([if k % 2 == 0 { "B" } else { "W" }, vertex(i + 13 * k)]))
            .collect();
        let turns: Vec<usize> = (0..=moves.len()).step_by(3).collect();
        open.insert(id.clone(), turns.len());
        let visits = if i % 11 == 0 { 1_000_000 } else { 1 + i % 17 };
        let more = json!({
            "moves": moves, "analyzeTurns": turns, "maxVisits": visits, "priority": i % 5,
            "reportDuringSearchEvery": 0.01, "includePolicy": i % 2 == 0,
        });
        e.send(&query(&id, more));
        // Terminate the long queries, both queued and running.
        if i % 11 == 5 {
            let end =
                json!({"id": "t", "action": "terminate", "terminateId": format!("q{}", i - 5)});
            e.send(&end);
            actions += 1;
        }
        // Not while an unlimited query delays the others.
        while i % 11 > 5 && open.len() > 60 {
            take(&mut e, &mut open, &mut done, &mut acknowledged);
        }
    }
    e.send(&json!({"id": "end", "action": "terminate_all"}));
    actions += 1;
    e.0.close_input();
    while done < count || acknowledged < actions {
        take(&mut e, &mut open, &mut done, &mut acknowledged);
    }
    assert!(open.is_empty());
    assert!(e.0.wait().success());
}

/// A client set up for KataGo needs only another path.
#[test]
fn katago_command_lines_and_files_are_understood() {
    let folder = Folder::new("katago");
    let file = |name: &str, text: &str| folder.write(name, text);
    let more = file("more.cfg", "maxVisits = 23\n");
    let config = file(
        "analysis.cfg",
        "# A comment\nreportAnalysisWinratesAs = BLACK # another\nnumAnalysisThreads = 12\n\
         numSearchThreadsPerAnalysisThread = 8\nlogDir = \"logs\"\nnnMaxBatchSize = 96\n\
         maxVisits = 5\n@include more.cfg\nnotOfKataGo = 1\n",
    );
    let run = |arguments: &[&str], input: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ponnuki"));
        let mut child = command
            .args(arguments)
            .current_dir(here())
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        use std::io::Write;
        // Some commands read no input and may have ended already.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let out = child.wait_with_output().unwrap();
        let text = |b: Vec<u8>| String::from_utf8(b).unwrap();
        (out.status.success(), text(out.stdout), text(out.stderr))
    };
    let common = ["-model", NETWORK, "-config", &config, "-override-config"];
    let home = "homeDataDir=/nowhere,cpuctExploration=0.9";
    let mut asked = query("k", json!({}));
    asked.as_object_mut().unwrap().remove("maxVisits");
    let arguments = [
        &["analysis"],
        &common[..],
        &[home, "-human-model", "none.bin.gz"],
    ]
    .concat();
    let (ok, out, err) = run(&arguments, &format!("{asked}\n"));
    assert!(ok, "{err}");
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(answer["rootInfo"]["visits"], 23);
    for words in [
        "without effect here",
        "logDir, nnMaxBatchSize, homeDataDir",
        "unknown keys: notOfKataGo",
    ] {
        assert!(err.contains(words), "{words}: {err}");
    }
    assert_eq!(err.matches("notOfKataGo").count(), 1);
    // Clients wait for this line.
    let last = err.lines().last();
    assert_eq!(last, Some("Started, ready to begin handling requests"));

    let gtp = [&["gtp"], &common[..], &[home]].concat();
    let script = "kata-get-param maxVisits\nkata-get-param cpuctExploration\nname\nquit\n";
    let (ok, out, err) = run(&gtp, script);
    assert!(
        ok && out.contains("= 23\n\n= 0.9\n\n= KataGo\n"),
        "{out}{err}"
    );

    let (ok, out, _) = run(&["version"], "");
    assert!(ok && out.starts_with("ponnuki "), "{out}");
    let (ok, out, err) = run(
        &[
            "benchmark",
            "-model",
            NETWORK,
            "-config",
            &config,
            "-visits",
            "5",
        ],
        "",
    );
    assert!(ok && out.contains("Network: "), "{out}{err}");

    // Each of these includes the next one twice.
    for n in 0..19 {
        let next = n + 1;
        file(
            &format!("{n}.cfg"),
            &format!("@include {next}.cfg\n").repeat(2),
        );
    }
    file("19.cfg", "maxVisits = 1\n");
    for (text, words) in [
        ("maxVisits\n", "line 1: expected KEY = VALUE"),
        (
            "\nmaxVisits = lots\n",
            "line 2: maxVisits: expected a whole number",
        ),
        ("@include nowhere.cfg\n", "nowhere.cfg"),
        ("@include bad.cfg\n", "bad.cfg includes itself"),
        ("@include 0.cfg\n", "more than 1000 files"),
    ] {
        let bad = file("bad.cfg", text);
        let (ok, _, err) = run(&["gtp", "-config", &bad], "quit\n");
        assert!(
            !ok && err.contains(words) && err.lines().count() == 1,
            "{err}"
        );
    }
    assert!(std::path::Path::new(&more).exists());
}
