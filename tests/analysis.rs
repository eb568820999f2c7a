//! Commands with streaming output, over the real binary's pipes.

mod common;

use common::process::{Process, here};
use std::time::{Duration, Instant};

fn start(flags: &[&str]) -> Process {
    let mut e = Process::start(&[&["--threads", "1"], flags].concat(), here());
    e.ask("boardsize 9");
    e
}

/// `key value` of the first move of a line.
fn field<'a>(line: &'a str, key: &str) -> &'a str {
    let mut words = line.split(' ');
    words.find(|w| *w == key).expect(line);
    words.next().expect(line)
}

/// Number of words after a key, up to the next one that starts with a letter.
fn numbers_after(line: &str, key: &str) -> usize {
    let words = line.split(' ').skip_while(|w| *w != key).skip(1);
    words.take_while(|w| w.parse::<f64>().is_ok()).count()
}

#[test]
fn any_input_ends_the_analysis() {
    let mut e = start(&[]);
    for end in ["protocol_version", "", "# a comment"] {
        e.send("kata-analyze B 50\n");
        assert_eq!(e.line(), "=");
        for _ in 0..2 {
            let line = e.line();
            assert!(line.starts_with("info move "), "{line}");
        }
        e.send(&format!("{end}\n"));
        while !e.line().is_empty() {}
        if end == "protocol_version" {
            assert_eq!(e.reply(), "= 2");
        }
    }
    // The game has not changed.
    assert!(e.ask("showboard").contains("No turn yet"));
}

/// Moves without visits had the prior's estimate, and bounds were those of a network's utility.
#[test]
fn without_a_network_the_values_of_moves_are_those_of_playouts() {
    let mut e = start(&["--net", "off", "--playouts", "40"]);
    e.send("kata-analyze b 10 minmoves 82 rootInfo true\n");
    assert_eq!(e.line(), "=");
    // On a busy machine the first reports have no moves or no visits.
    let line = loop {
        let line = e.line();
        if line.starts_with("info ") && field(&line, "visits") != "0" {
            break line;
        }
    };
    e.send("\n");
    while !e.line().is_empty() {}
    let (moves, root) = line.split_once(" rootInfo ").expect(&line);
    let mut unvisited = 0;
    for info in moves.split("info ").skip(1) {
        let number = |key| field(info, key).parse::<f64>().expect(info);
        let (lcb, utility_lcb) = (number("lcb"), number("utilityLcb"));
        assert!((utility_lcb - (2.0 * lcb - 1.0)).abs() < 1e-5, "{info}");
        if field(info, "visits") == "0" {
            unvisited += 1;
            for key in ["winrate", "utility"] {
                assert_eq!(field(info, key), field(root, key), "{info}");
            }
        }
    }
    assert!(unvisited > 0, "{line}");
}

#[test]
#[ignore = "measures time"]
fn an_analysis_begins_and_ends_at_once() {
    let mut e = start(&[]);
    for _ in 0..3 {
        let begun = Instant::now();
        e.send("kata-analyze B 50\n");
        e.line();
        e.line();
        let first = begun.elapsed();
        let ending = Instant::now();
        e.send("\n");
        while !e.line().is_empty() {}
        let end = ending.elapsed();
        println!("first line after {first:?}, end after {end:?}");
        // Usually 0.1 s and a few milliseconds.
        assert!(first.max(end) < Duration::from_secs(1));
    }
}

#[test]
fn lines_have_the_requested_fields_and_the_variation_last() {
    let mut e = start(&[]);
    let one = |e: &mut Process, command: &str| {
        e.send(&format!("{command}\n"));
        assert_eq!(e.line(), "=", "{command}");
        e.line();
        let line = e.line();
        e.send("\n");
        while !e.line().is_empty() {}
        line
    };
    let plain = one(&mut e, "kata-analyze b 10");
    for info in plain.split("info ").skip(1) {
        let (_, pv) = info.split_once(" pv ").expect(info);
        assert!(!pv.trim().is_empty());
        assert!(
            pv.split_whitespace().all(|w| w == "pass" || w.len() == 2),
            "{pv}"
        );
        for key in ["visits", "winrate", "scoreLead", "prior", "lcb", "order"] {
            assert!(field(info, key).parse::<f64>().is_ok(), "{key}: {info}");
        }
    }
    assert!(!plain.contains("ownership") && !plain.contains("rootInfo"));
    let full = one(
        &mut e,
        "kata-analyze w interval 10 maxmoves 2 rootInfo true ownership true ownershipStdev true \
         movesOwnership true movesOwnershipStdev true pvVisits true pvEdgeVisits true noResultValue true",
    );
    assert_eq!(full.matches("info move").count(), 2, "{full}");
    for key in [
        "ownership",
        "ownershipStdev",
        "movesOwnership",
        "movesOwnershipStdev",
    ] {
        assert_eq!(numbers_after(&full, key), 81, "{key}");
    }
    assert!(numbers_after(&full, "pvVisits") > 0 && numbers_after(&full, "pvEdgeVisits") > 0);
    assert!(full.contains(" rootInfo visits ") && full.contains(" noResultValue "));
    let lz = one(&mut e, "lz-analyze 10 minmoves 81");
    assert_eq!(lz.matches("info move").count(), 81, "{lz}");
    assert!((0..=10_000).contains(&field(&lz, "winrate").parse::<i32>().unwrap()));
    // Moves to avoid, and the only moves to allow.
    let avoiding = one(&mut e, "kata-analyze b 10 avoid b E5,D5,C5 1 minmoves 82");
    assert!(!avoiding.contains("move E5 ") && avoiding.contains("move F5 "));
    let allowed = one(&mut e, "lz-analyze b 10 allow b A1,B2 1 minmoves 82");
    assert_eq!(allowed.matches("info move").count(), 2, "{allowed}");
    assert!(allowed.contains("move A1 ") && allowed.contains("move B2 "));
    for bad in [
        "kata-analyze b 10 ownership maybe",
        "kata-analyze nothing",
        "lz-analyze ownership true",
        "kata-analyze avoid b E5 1 allow b A1 1",
        "kata-analyze avoid b Z99 1",
        "kata-analyze b -5",
    ] {
        assert!(e.ask(bad).starts_with("? syntax error"), "{bad}");
    }
    // A list of allowed moves must not be empty.
    e.ask("play b E5");
    for command in [
        "lz-genmove_analyze w allow w E5 1",
        "kata-search_analyze w allow w E5 3",
    ] {
        let refused = e.ask(command);
        assert!(
            refused.starts_with("? no legal move: avoid and allow leave White no move"),
            "{refused}"
        );
    }
    assert!(
        e.ask("lz-genmove_analyze w allow w A1 1")
            .ends_with("play A1")
    );
}

/// A won game has a high win rate for one side, a low one for the other, and the right lead, also
/// after its end.
#[test]
fn values_are_those_of_the_player_to_move() {
    let mut e = start(&["--playouts", "300", "--rules", "chinese"]);
    e.ask("boardsize 5");
    e.ask("komi 0.5");
    for (x, c) in ["C", "D"].iter().zip(["b", "w"]) {
        for y in 1..=5 {
            assert_eq!(e.ask(&format!("play {c} {x}{y}")), "= ");
        }
    }
    // Black has fifteen points, White ten.
    for over in [false, true] {
        for (c, least, most) in [("b", 0.65, 1.0), ("w", 0.0, 0.35)] {
            let reply = e.ask(&format!(
                "kata-search_analyze {c} rootInfo true ownership true"
            ));
            let info = reply.lines().find(|l| l.starts_with("info")).expect(&reply);
            let root = info.split(" rootInfo ").nth(1).unwrap();
            let win_rate: f64 = field(root, "winrate").parse().unwrap();
            assert!((least..=most).contains(&win_rate), "{over} {c}: {root}");
            let lead: f64 = field(root, "scoreLead").parse().unwrap();
            let sign = if c == "b" { 1.0 } else { -1.0 };
            assert!((lead * sign - 4.5).abs() < 4.0, "{over} {c}: {lead}");
            let corner: f64 = field(info, "ownership").parse().unwrap();
            assert!(corner * sign > 0.5, "{over} {c}: {corner}");
            assert!(
                reply.lines().last().unwrap().starts_with("play "),
                "{reply}"
            );
        }
        e.ask("play b pass");
        e.ask("play w pass");
    }
    assert!(
        e.ask("showboard").contains("Turn 14"),
        "nothing but the passes was played"
    );
}

#[test]
fn genmove_with_analysis_plays_and_is_not_ended_by_input() {
    let mut e = start(&["--time", "0.5"]);
    // The next command arrives before the move.
    e.send("5 kata-genmove_analyze b 10\nshowboard\n");
    let reply = e.reply();
    let lines: Vec<&str> = reply.lines().collect();
    assert_eq!(lines[0], "=5");
    assert!(lines.len() > 4, "{reply}");
    let played = lines.last().unwrap().strip_prefix("play ").unwrap();
    assert!(
        lines[1..lines.len() - 1]
            .iter()
            .all(|l| l.starts_with("info move "))
    );
    assert!(e.reply().contains(&format!("Black played {played}")));
    // CGOS: without an interval, one line before the move.
    let reply = e.ask("lz-genmove_analyze w");
    assert_eq!(
        reply.lines().filter(|l| l.starts_with("info")).count(),
        1,
        "{reply}"
    );
    let reply = e.ask("cgos-genmove_analyze b");
    let lines: Vec<&str> = reply.lines().collect();
    assert_eq!(lines.len(), 3, "{reply}");
    let json: serde_json::Value = serde_json::from_str(lines[1]).unwrap();
    assert_eq!(json["ownership"].as_str().unwrap().len(), 81);
    assert!(json["moves"][0]["pv"].is_string() && json["visits"].as_u64().unwrap() > 0);
    assert!((0.0..=1.0).contains(&json["winrate"].as_f64().unwrap()));
    // A search that input cancels, and one that goes on.
    e.ask("time_settings 0 30 1");
    e.send("kata-search_cancellable w\nname\n");
    assert_eq!(e.reply(), "= cancelled");
    assert_eq!(e.reply(), "= Ponnuki");
    e.send("kata-search_analyze_cancellable w 10\n");
    while !e.line().starts_with("info") {}
    e.send("name\n");
    assert!(e.reply().ends_with("play cancelled"));
    assert_eq!(e.reply(), "= Ponnuki");
    assert!(e.ask("showboard").contains("Turn 3"));
}

/// Sabaki would prefer these commands, if listed, to others that give it more.
#[test]
fn analyze_is_answered_but_not_listed() {
    let mut e = start(&["--playouts", "50"]);
    let listed = e.ask("list_commands");
    assert!(
        listed
            .lines()
            .all(|l| !matches!(l, "analyze" | "genmove_analyze"))
    );
    e.send("analyze b 50\n");
    assert_eq!(e.line(), "=");
    let line = e.line();
    // KataGo's fields and floats.
    assert!(field(&line, "winrate").starts_with("0."), "{line}");
    field(&line, "scoreLead");
    e.send("protocol_version\n");
    while !e.line().is_empty() {}
    assert_eq!(e.reply(), "= 2");
    assert!(
        e.ask("analyze b rootInfo true")
            .starts_with("? syntax error")
    );
    let reply = e.ask("genmove_analyze w 10");
    let (_, played) = reply.rsplit_once("\nplay ").unwrap();
    assert!(
        e.ask("showboard")
            .contains(&format!("White played {played}"))
    );
}

#[test]
fn analysis_ends_with_the_input_and_at_its_caps() {
    let mut e = start(&["--visits", "100"]);
    // The first line at the cap.
    let capped = |e: &mut Process, command: &str| {
        e.send(&format!("{command}\n"));
        assert_eq!(e.line(), "=");
        loop {
            let line = e.line();
            let root = line.split(" rootInfo ").nth(1).unwrap();
            let visits: u64 = field(root, "visits").parse().unwrap();
            assert!(visits <= 100, "{line}");
            if visits == 100 {
                e.send("\n");
                while !e.line().is_empty() {}
                return line;
            }
        }
    };
    capped(&mut e, "kata-analyze b 5 rootInfo true");
    // Earlier visits count and are reported.
    let again = "kata-analyze b 5 rootInfo true ownership true maxmoves 1";
    let line = capped(&mut e, again);
    let ownership = line.split(" ownership ").nth(1).unwrap();
    assert!(ownership.contains('1'), "{line}");
    // The input ends during an analysis.
    e.send("kata-analyze b 5\n");
    e.close_input();
    assert!(e.wait().success());
}

/// The short search of these commands is repeatable and plays no move.
#[test]
fn estimates_and_best_moves_of_a_fixed_search() {
    let mut e = start(&[]);
    let first = e.ask("top_moves b");
    assert_eq!(first, e.ask("top_moves b"), "it is always the same");
    let words: Vec<&str> = first.trim_start_matches("= ").split(' ').collect();
    assert!(words.len() >= 4 && words.len().is_multiple_of(2), "{first}");
    assert!(e.ask("estimate_score").contains("standard deviation"));
    assert!(e.ask("showboard").contains("No turn yet"));
    // The player to move wins the whole of a small board.
    for command in ["boardsize 5", "komi 0", "gogui-setup_player w"] {
        assert_eq!(e.ask(command), "= ");
    }
    assert!(e.ask("estimate_score").starts_with("= W+"));
    e.ask("gogui-setup_player b");
    assert!(e.ask("estimate_score").starts_with("= B+"));
}

/// The program, started by KataGo's command line.
fn as_katago() -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ponnuki"));
    let limits = "maxVisits=3,numSearchThreads=1";
    command.args(["gtp", "-override-config", limits, "--net", "off"]);
    command
}

/// The first line on a program's standard error.
fn first_note(e: &mut Process) -> String {
    let stderr = e.child.stderr.take().unwrap();
    let mut note = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stderr), &mut note).unwrap();
    note
}

/// Started with KataGo's command line, the program identifies itself as KataGo: Lizzie and
/// LizzieYzy read the first words of name and version, LizGoban waits for a line on standard error,
/// and KataGo's caps apply to moves.
#[test]
fn as_katago_it_identifies_itself_as_katago() {
    let mut command = as_katago();
    let mut e = Process::spawn(command.stderr(std::process::Stdio::piped()));
    let said = first_note(&mut e);
    assert_eq!(said, "GTP ready\n");
    assert_eq!(e.ask("name"), "= KataGo");
    let version = e.ask("version");
    assert!(
        version.starts_with("= 1.16.") && version.contains("Ponnuki"),
        "{version}"
    );
    e.ask("boardsize 9");
    e.send("kata-analyze b 5 rootInfo true\n");
    assert_eq!(e.line(), "=");
    let visits = |line: &str| -> u64 {
        let (_, rest) = line.split_once("rootInfo visits ").unwrap();
        rest.split(' ').next().unwrap().parse().unwrap()
    };
    while visits(&e.line()) < 100 {}
    e.send("name\n");
    while !e.line().is_empty() {}
    assert_eq!(e.reply(), "= KataGo");
    assert!(start(&[]).ask("name").starts_with("= Ponnuki"));
}

/// LizGoban shows the shape of the network named on standard error, and asks which networks are in
/// use. KataGo accepts a single handicap stone.
#[test]
fn as_katago_it_names_its_network() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ponnuki"));
    command.args(["gtp", "-override-config", "defaultBoardSize=9"]);
    let mut e = Process::spawn(command.stderr(std::process::Stdio::piped()));
    let said = first_note(&mut e);
    assert!(said.starts_with("Model name: ponnuki-b10c64"), "{said}");
    let models = e.ask("kata-get-models");
    let models: serde_json::Value = serde_json::from_str(&models[2..]).unwrap();
    let name = models[0]["internalName"].as_str().unwrap();
    assert_eq!(said.trim(), format!("Model name: {name}"));
    assert!(
        e.ask("showboard")
            .starts_with("= \n    A B C D E F G H J\n")
    );
    assert_eq!(e.ask("set_free_handicap C3"), "= ");
    assert_eq!(start(&[]).ask("kata-get-models"), "= []");
    assert!(
        start(&[])
            .ask("set_free_handicap C3")
            .starts_with("? bad vertex list")
    );
}

/// LizGoban sends its next command only once the last reply has begun, and that command must end an
/// unlimited search. LizzieYzy asks for the longest possible interval.
#[test]
fn a_reply_begins_before_its_search_does() {
    let mut e = start(&["--visits", "1000000000"]);
    for command in [
        "kata-search_analyze_cancellable b",
        "kata-search_analyze_cancellable b 2147483647",
    ] {
        e.send(&format!("16 {command}\n"));
        assert_eq!(e.line(), "=16");
        e.send("17 name\n");
        let mut last = e.line();
        while last.starts_with("info ") {
            last = e.line();
        }
        assert_eq!(last, "play cancelled");
        assert_eq!(e.line(), "");
        assert_eq!(e.reply(), "=17 Ponnuki");
    }
    let refused = e.ask("kata-search_analyze b avoid b");
    assert!(refused.starts_with("? "), "{refused}");
}

/// Servers differ in ko, superko and suicide of several stones. As KataGo, such moves are accepted;
/// otherwise the rules in force forbid them.
#[test]
fn as_katago_it_accepts_moves_that_servers_allow() {
    let mut as_katago_engine = Process::spawn(&mut as_katago());
    let mut elsewhere = start(&["--net", "off"]);
    let ko = "b B3 w D4 b C4 w D2 b C2 w E3 b D3 w C3";
    let eye = "b A2 b B2 b B1 w A3 w B3 w C2 w C1";
    for (rules, moves, last) in [
        ("japanese", ko, "play b D3"),
        ("new-zealand", ko, "play b D3"),
        ("japanese", eye, "play b A1"),
    ] {
        for e in [&mut as_katago_engine, &mut elsewhere] {
            e.ask("boardsize 5");
            e.ask(&format!("kata-set-rules {rules}"));
            assert_eq!(e.ask(&format!("gogui-play_sequence {moves}")), "= ");
        }
        assert_eq!(as_katago_engine.ask(last), "= ", "{rules} {last}");
        assert!(as_katago_engine.ask("genmove w").starts_with("= "));
        assert!(
            elsewhere.ask(last).starts_with("? illegal move"),
            "{rules} {last}"
        );
    }
    let occupied = as_katago_engine.ask("play b C1");
    assert!(occupied.starts_with("? illegal move"), "{occupied}");
}

/// LizzieYzy's commands, and its parser (featurecat/lizzie/analysis/Leelaz.java): in each move's
/// part of a line, `pv` and its moves come last.
#[test]
fn replies_suit_the_parser_of_lizzieyzy() {
    let mut e = start(&["--net", "built-in"]);
    for command in [
        "komi 7.5",
        "kata-set-rules chinese",
        "kata-set-param maxVisits 1125899906842624",
        "kata-set-param maxPlayouts 1125899906842624",
        "kata-set-param numSearchThreads 1",
        "play B E5",
    ] {
        assert!(e.ask(command).starts_with("= "), "{command}");
    }
    let why = e.ask("kata-set-param playoutDoublingAdvantage 0.5");
    assert!(
        why.starts_with("? ") && why.contains("KataGo's parameter"),
        "{why}"
    );
    let tags = "ownership true pvVisits true movesOwnership true";
    for command in [
        format!("kata-analyze 10 {tags}"),
        format!("kata-analyze W 10 {tags}"),
        format!("kata-analyze W 10 allow b C3,D3 1 allow w C3,D3 1 {tags}"),
        format!("kata-analyze W 10 avoid b C3,D3 3 avoid w C3,D3 3 {tags}"),
        format!("kata-genmove_analyze W 10 {tags}"),
    ] {
        if command.starts_with("kata-genmove") {
            e.ask("kata-set-param maxVisits 40");
        }
        e.send(&format!("{command}\n"));
        assert_eq!(e.line(), "=", "{command}");
        let line = e.line();
        let (moves, ownership) = line.rsplit_once(" ownership ").expect(&line);
        assert_eq!(ownership.split(' ').count(), 81, "{command}");
        for part in moves.split("info ").skip(1) {
            let words: Vec<&str> = part.trim().split(' ').collect();
            let at = |key| words.iter().position(|w| *w == key).expect(part);
            let (pv, visits, of_move) = (at("pv"), at("pvVisits"), at("movesOwnership"));
            assert!(pv < visits && visits < of_move, "{part}");
            assert_eq!(visits - pv, of_move - visits, "{part}");
            assert_eq!(words.len() - of_move - 1, 81, "{part}");
            for key in ["order", "visits"] {
                words[at(key) + 1].parse::<u32>().expect(part);
            }
            for key in ["lcb", "prior", "winrate", "scoreLead", "scoreStdev"] {
                words[at(key) + 1].parse::<f64>().expect(part);
            }
            let restricted = words[at("move") + 1] == "C3" || words[at("move") + 1] == "D3";
            assert!(!command.contains("allow") || restricted, "{part}");
            assert!(!command.contains("avoid") || !restricted, "{part}");
        }
        if !command.starts_with("kata-genmove") {
            e.send("stop\n");
        }
        while !e.line().is_empty() {}
        if !command.starts_with("kata-genmove") {
            assert_eq!(e.reply(), "= ");
        }
    }
    let raw = e.ask("kata-raw-nn 3");
    assert!(
        raw.contains("whiteWin ") && raw.contains("whiteOwnership"),
        "{raw}"
    );
}
