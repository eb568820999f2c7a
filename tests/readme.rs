//! The documents: their tables are generated from the program, their links are valid, and the
//! README begins with the two commands that a newcomer needs. To rewrite the tables: `UPDATE_DOCS=1
//! cargo test --test readme`.

mod common;

use common::documents;
use common::folder::Folder;
use ponnuki::analysis::{EvaluatorChoice, Limits};
use ponnuki::cli::configured;
use ponnuki::configuration::Configuration;
use ponnuki::gtp::Session;
use ponnuki::katago;
use ponnuki::page::{Diagram, Mark};
use ponnuki::player::{Engine, Settings};
use ponnuki::rules::{PRESETS, Ruleset};
use ponnuki::types::{BoardSize, Color, Move, Point};
use regex::Regex;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The Markdown files of a folder, without those of its subfolders.
fn markdown(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect()
}

/// The pages about clients.
fn client_pages() -> Vec<PathBuf> {
    let found = markdown("docs/clients");
    assert!(found.len() >= 11, "{found:?}");
    found
}

/// All documents of the repository.
fn documents() -> Vec<PathBuf> {
    let mut found = markdown("");
    found.extend(markdown("docs"));
    assert!(found.len() >= 9, "{found:?}");
    found.extend(client_pages());
    found
}

#[test]
fn tables_are_those_of_the_program() {
    for (file, name, table) in [
        ("docs/commands.md", "commands", commands()),
        ("docs/commands.md", "examples", examples()),
        ("docs/options.md", "options", documents::options()),
        ("docs/rules.md", "rules", documents::rules()),
        ("docs/katago.md", "katago", katago::markdown()),
    ] {
        let path = root().join(file);
        let before = fs::read_to_string(&path).unwrap();
        let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
        let (head, rest) = before.split_once(&open).unwrap();
        let (_, tail) = rest.split_once(&close).unwrap();
        let after = format!("{head}{open}{table}{close}{tail}");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, &after).unwrap();
            continue;
        }
        assert!(
            after == before,
            "{file} is out of date: UPDATE_DOCS=1 cargo test --test readme"
        );
    }
}

/// Commands of an example session with every command, by concern.
const SESSION: &[(&str, &str)] = &[
    (
        "The engine",
        "protocol_version; name; version; known_command play; list_commands; help undo; cputime; \
         gomill-cpu_time; gomill-describe_engine; kata-list-params; kata-get-param visits; \
         kata-set-param visits 200; kata-get-params; kata-set-params {\"visits\":\"off\",\"lag\":200}; \
         kata-get-models; ponnuki-param time; gogui-analyze_commands",
    ),
    (
        "Board and moves",
        "boardsize 9; rectangular_boardsize 13 9; boardsize 7; clear_board; komi 9; get_komi; \
         play b D4; play w pass; showboard; undo; gg-undo 1; play b A1; play w B1; play b D4; \
         play w A2; all_legal b; ponnuki-all_illegal b; ponnuki-legality b A1; printsgf; \
         savesgf game.sgf; loadsgf game.sgf 3",
    ),
    (
        "Set-up and handicap",
        "set_position b D4 w C3; gogui-setup b E5; gogui-setup_player w; \
         gogui-play_sequence b B2 w E3; gogui-interrupt; boardsize 9; fixed_handicap 3; \
         clear_board; place_free_handicap 2; clear_board; set_free_handicap C3 G7",
    ),
    (
        "Rules and time",
        "kata-get-rules; kata-set-rules japanese; kata-set-rule tax NONE; kgs-rules chinese; \
         time_settings 600 30 5; kgs-time_settings byoyomi 600 30 5; \
         kata-time_settings fischer 300 5; kata-list_time_settings; time_left b 290 0; \
         kata-debug-print-tc; time_settings 0 1 0",
    ),
    (
        "Thinking",
        "boardsize 5; komi 0; genmove b; gomill-explain_last_move; kgs-genmove_cleanup w; reg_genmove b; \
         kata-search b; kata-search_cancellable b; kata-search_analyze b; \
         kata-search_analyze_cancellable b; lz-genmove_analyze b; kata-genmove_analyze w; \
         genmove_analyze b; cgos-genmove_analyze w; lz-analyze b; kata-analyze b; analyze b; \
         top_moves; estimate_score; ponnuki-ownership; ponnuki-prior; \
         ponnuki-visits; ponnuki-variation; stop; clear_cache; \
         kgs-chat game somebody who wins?; boardsize 9; kata-raw-nn 0",
    ),
    (
        "The end of a game",
        "loadsgf ended.sgf; final_score; final_status_list dead; ponnuki-explain C5; \
         ponnuki-explain_line C5; ponnuki-chain_status; ponnuki-territory; ponnuki-outcome; \
         ponnuki-outcome W+T; ponnuki-resume b; kgs-game_over; boardsize 9; \
         set_position b D9 b D8 b A7 b B7 b C7 w E9 w E8 w D7 w E7 w A6 w B6 w C6; \
         ponnuki-solve b; ponnuki-critical_points; quit",
    ),
];

/// A finished game with a dead white stone.
const ENDED: &str = "(;SZ[5]KM[0]RU[Japanese];B[cb];W[cd];B[bb];W[bd];B[db];W[dd];B[ab];W[ad]\n\
                     ;B[eb];W[ed];B[ac];W[ca];B[ec];W[cc];B[bc];W[dc];B[];W[])\n";

/// Commands whose answers depend on the machine, or have no end.
const DEPENDS: &[(&str, &str)] = &[
    ("cputime", "= 0.125"),
    ("gomill-cpu_time", "= 0.125"),
    (
        "kata-get-models",
        "= [{\"internalName\":\"ponnuki-b10c64-s104021552\",…,\"name\":\"built-in\",…}, …]",
    ),
    ("kata-search_cancellable", "= D4"),
    (
        "kata-search_analyze_cancellable",
        "=\ninfo move D4 visits 195 edgeVisits 195 utility 0.553694 winrate 0.776847 …\nplay D4",
    ),
    (
        "lz-analyze",
        "=\ninfo move E3 visits 100 winrate 9899 prior 1399 lcb 9679 order 0 pv E3 E2 E1 B4 info …\n…",
    ),
    (
        "kata-analyze",
        "=\ninfo move E3 visits 200 edgeVisits 200 utility 0.970000 winrate 0.985000 …\n…",
    ),
    (
        "analyze",
        "=\ninfo move E3 visits 300 edgeVisits 300 utility 0.973333 winrate 0.986667 …\n…",
    ),
    (
        "kata-raw-nn",
        "= symmetry 0\nwhiteWin 0.019730\nwhiteLoss 0.980270\nnoResult 0.000000\nwhiteLead -6.095\n…",
    ),
];

/// A session of the examples.
fn session() -> Session {
    let engine = Engine::new(Settings {
        limits: Limits::of_playouts(100),
        threads: 1,
        evaluator: EvaluatorChoice::Playouts,
        seed: 1,
        ..Settings::default()
    });
    Session::new(engine.unwrap())
}

/// The table of `docs/commands.md`.
fn commands() -> String {
    documents::commands(&mut session())
}

/// The examples of `docs/commands.md`, with long answers cut.
fn examples() -> String {
    let folder = Folder::new("examples");
    folder.write("ended.sgf", ENDED);
    let mut session = session();
    session.front_end.kgs_chat = true;
    let mut text = String::new();
    let mut sent = Vec::new();
    for (concern, lines) in SESSION {
        text.push_str(&format!("\n### {concern}\n\n```\n"));
        for line in lines.split("; ") {
            let name = line.split(' ').next().unwrap();
            sent.push(name);
            let fixed = DEPENDS.iter().find(|(command, _)| *command == name);
            let answer = match fixed {
                Some((_, answer)) => (*answer).to_owned(),
                None => {
                    let line = line.replace("game.sgf", &folder.file("game.sgf"));
                    let line = line.replace("ended.sgf", &folder.file("ended.sgf"));
                    session.reply(line.as_bytes()).unwrap()
                }
            };
            text.push_str(&format!("{line}\n{}\n\n", cut(&answer)));
        }
        text.push_str("```\n");
        if lines.contains("ended.sgf") {
            text.push_str(&format!(
                "\n`ended.sgf` is this record:\n\n```\n{ENDED}```\n"
            ));
        }
    }
    for row in commands().lines().skip(2) {
        let name = row
            .trim_start_matches("| `")
            .split([' ', '`'])
            .next()
            .unwrap();
        assert!(sent.contains(&name), "no example of {name}");
    }
    text
}

/// The first lines of an answer, each of them cut.
fn cut(answer: &str) -> String {
    let mut lines: Vec<String> = answer.trim_end().lines().map(str::to_owned).collect();
    if lines.len() > 14 {
        lines.truncate(8);
        lines.push("…".to_owned());
    }
    for line in &mut lines {
        if line.chars().count() > 100 {
            *line = line.chars().take(97).chain(['…']).collect();
        }
    }
    lines.join("\n")
}

/// The group of the worked problem in `docs/solve.md`.
const WORKED: &str = "set_position b D9 b D8 b A7 b B7 b C7 w E9 w E8 w D7 w E7 w A6 w B6 w C6";

/// The answer to the worked problem is the program's, and the pictures show it.
#[test]
fn the_worked_problem_is_answered_as_it_says() {
    let engine = Engine::new(Settings {
        evaluator: EvaluatorChoice::Playouts,
        ..Settings::default()
    });
    let mut session = Session::new(engine.unwrap());
    let mut ask = |line: &str| session.reply(line.as_bytes()).unwrap();
    ask("boardsize 9");
    ask(WORKED);
    let answer = ask("ponnuki-solve b");
    let page = fs::read_to_string(root().join("docs/solve.md")).unwrap();
    let answer = answer.trim_start_matches("= ").trim_end();
    assert!(page.contains(answer), "{answer}");
    let point = |word: &str| word.parse::<Move>().unwrap().point().unwrap();
    let pairs = |text: &str| -> Vec<(Color, Point)> {
        let words: Vec<&str> = text.split([' ', ',']).filter(|w| !w.is_empty()).collect();
        let pairs = words.chunks(2);
        pairs
            .map(|p| (p[0].parse().unwrap(), point(p[1])))
            .collect()
    };
    let stones = pairs(WORKED.trim_start_matches("set_position "));
    let line = answer
        .lines()
        .find_map(|l| l.strip_prefix("Line: "))
        .unwrap();
    let mut problem = Diagram::new(BoardSize::square(9));
    problem.stones = stones;
    problem.title = "Black to play".to_owned();
    let mut answered = problem.clone();
    answered.title = format!("Black lives: {line}");
    for (i, (c, p)) in pairs(line).into_iter().enumerate() {
        answered.marks.push((p, Mark::Number(c, i as u32 + 1)));
    }
    for (name, diagram) in [("problem", problem), ("answer", answered)] {
        let path = root().join(format!("docs/solve-{name}.svg"));
        if std::env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, diagram.svg()).unwrap();
        }
        assert!(
            fs::read_to_string(&path).unwrap() == diagram.svg(),
            "UPDATE_DOCS=1 cargo test --test readme"
        );
    }
}

/// Every setting of the sample configuration is valid.
#[test]
fn the_sample_configuration_is_read() {
    let path = root().join("docs/ponnuki.toml");
    let sample = documents::sample_configuration();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &sample).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap() == sample,
        "UPDATE_DOCS=1 cargo test --test readme"
    );
    let setting = Regex::new(r"(?m)^#([a-z_-]+ = )").unwrap();
    let settings = setting.replace_all(&sample, "$1");
    assert!(settings.matches("\n").count() > 150);
    let read = configured(settings.as_bytes(), false).unwrap();
    let examples = ["komi", "size", "threads", "analysis_threads", "seed"];
    let fixed = Configuration::names().filter(|name| !examples.contains(name));
    for name in fixed {
        assert_eq!(read.get(name), Configuration::default().get(name), "{name}");
    }
}

#[test]
fn links_lead_to_files_inside_the_repository() {
    let inside = root().canonicalize().unwrap();
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        let name = document.display();
        let mut parts = text.split("](");
        let mut prose = parts.next().unwrap().to_owned();
        for part in parts {
            let (link, after) = part.split_once(')').unwrap();
            prose.push_str(after);
            if !link.starts_with("https://") {
                let (file, heading) = link.split_once('#').unwrap_or((link, ""));
                let target = document.with_file_name(file);
                assert!(target.is_file(), "{name}: {link}");
                if !heading.is_empty() {
                    let text = fs::read_to_string(&target).unwrap();
                    assert!(has_heading(&text, heading), "{name}: {link}");
                }
                let target = target.canonicalize().unwrap();
                assert!(target.starts_with(&inside), "{name}: {link}");
            }
        }
        // Only links may lead upwards; they are checked above.
        assert!(!prose.contains("../"), "{name}");
    }
}

/// Has a document a heading with this anchor?
fn has_heading(text: &str, anchor: &str) -> bool {
    let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
    let anchors = headings.map(|heading| {
        let title = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        title
            .chars()
            .filter(kept)
            .collect::<String>()
            .replace(' ', "-")
    });
    anchors.into_iter().any(|found| found == anchor)
}

/// A page about a client is short and linked from the questions.
#[test]
fn client_pages_are_short_and_linked() {
    let questions = fs::read_to_string(root().join("docs/faq.md")).unwrap();
    assert!(questions.lines().count() <= 120);
    for page in client_pages() {
        let name = page.file_name().unwrap().to_str().unwrap();
        let lines = fs::read_to_string(&page).unwrap().lines().count();
        assert!(lines <= 40, "{name}: {lines}");
        assert!(questions.contains(&format!("(clients/{name})")), "{name}");
    }
}

/// Options and commands named in documents for users exist.
#[test]
fn named_options_and_commands_exist() {
    let mut known = commands();
    for command in [
        "gtp", "play", "analysis", "bench", "rules", "analyze", "match", "score", "solve",
        "selfplay", "label", "serve",
    ] {
        let mut help = Command::new(env!("CARGO_BIN_EXE_ponnuki"));
        let help = help.args([command, "--help"]).output().unwrap();
        known.push_str(&String::from_utf8(help.stdout).unwrap());
    }
    // Options of cargo, of GNU Go and of Slurm, the programs of GoGui, commands of KataGo that are
    // missing, and what docs/install.md names of other installers and of the archives.
    let others = [
        "release",
        "path",
        "open",
        "force",
        "test",
        "ignored",
        "nocapture",
        "mode",
        "chinese-rules",
        "array",
        "cpus-per-task",
        "gogui-twogtp",
        "gogui-regress",
        "check",
        "install",
        "kata-benchmark",
        "kata-raw-human-nn",
        "kata-search_debug",
        "ignore-missing",
        "repository",
        "version",
        "ponnuki-x",
        "ponnuki-aarch",
        "ponnuki-universal-apple-darwin",
    ];
    let option = Regex::new(r#"(?:^|[ `"])--([a-z][a-z-]*)"#).unwrap();
    let command = Regex::new(r"\b(?:gogui|kata|kgs|lz|ponnuki)-[a-z][a-z_-]*").unwrap();
    let mut named = 0;
    let pages = [
        "README.md",
        "docs/options.md",
        "docs/rules.md",
        "docs/networks.md",
        "docs/install.md",
        "docs/benchmarks.md",
        "docs/katago.md",
        "docs/archives.md",
        "docs/faq.md",
        "docs/solve.md",
        "docs/serve.md",
    ];
    let pages = pages.into_iter().map(|page| root().join(page));
    for document in pages.chain(client_pages()) {
        let text = fs::read_to_string(&document).unwrap();
        let document = document.display();
        let options = option.captures_iter(&text).map(|c| c.get(1).unwrap());
        let options = options.map(|m| (m.as_str(), format!("--{} ", m.as_str())));
        let commands = command.find_iter(&text);
        let commands = commands.map(|m| (m.as_str(), format!("`{}", m.as_str())));
        for (name, wanted) in options.chain(commands) {
            named += 1;
            let flag = wanted.replace(' ', "[");
            let there = known.contains(&wanted) || known.contains(&flag);
            assert!(there || others.contains(&name), "{document}: {name}");
        }
    }
    assert!(named > 200, "{named}");
}

#[test]
fn the_readme_names_every_ruleset() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    for preset in PRESETS {
        assert!(
            text.contains(&format!("`{}`", preset.name)),
            "{}",
            preset.name
        );
    }
    assert!(text.contains("fifteen rulesets") && PRESETS.len() == 15);
}

#[test]
fn the_rules_document_explains_every_rule() {
    let text = fs::read_to_string(root().join("docs/rules.md")).unwrap();
    let rules: Value = serde_json::from_str(&Ruleset::default().to_json()).unwrap();
    for key in rules.as_object().unwrap().keys() {
        assert!(text.contains(&format!("\n| `{key}` | `")), "{key}");
    }
}

#[test]
fn the_two_commands_stand_at_the_top() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let first: Vec<_> = text.match_indices("```\ncargo ").map(|(i, _)| i).collect();
    assert_eq!(first.len(), 2);
    assert!(text[first[0]..].starts_with("```\ncargo run --release\n```"));
    assert!(text[first[1]..].starts_with("```\ncargo test\n```"));
}
