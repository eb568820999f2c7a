//! Pictures and pages: well formed, complete, self-contained, and safe from a record's text.

mod common;

use common::folder::Folder;
use common::process::here;
use ponnuki::board::Board;
use ponnuki::page::{
    Candidate, Chain, Diagram, Ending, Mark, MoveNote, PositionNote, Review, Verdict,
};
use ponnuki::position::{Outcome, Position};
use ponnuki::rules::preset;
use ponnuki::sgf::{self, GameInfo};
use ponnuki::types::{BoardSize, Color, Move, Point};
use regex::Regex;
use serde_json::Value;
use std::collections::HashSet;
use std::process::{Command, Output};

/// A name that would break a page that does not escape it.
const NAME: &str = "</script><img src=x onerror=alert(1)>\"'&{{data}}";

/// Assert that elements are nested properly and every used shape is defined.
fn expect_well_formed(svg: &str) {
    let tag = Regex::new(r#"<(/?)([A-Za-z]+)((?:\s[A-Za-z0-9:-]+="[^"<]*")*)\s*(/?)>"#).unwrap();
    let mut open = Vec::new();
    let mut rest = svg.to_owned();
    for found in tag.captures_iter(svg) {
        let name = found[2].to_owned();
        match (&found[1], &found[4]) {
            ("/", "") => assert_eq!(open.pop(), Some(name), "{}", &found[0]),
            ("", "/") => {}
            ("", "") => open.push(name),
            _ => panic!("{}", &found[0]),
        }
        rest = rest.replacen(&found[0], "", 1);
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(!rest.contains(['<', '>']), "{rest}");
    let all = |pattern: &str| -> HashSet<String> {
        let pattern = Regex::new(pattern).unwrap();
        let found = pattern.captures_iter(svg);
        found.map(|c| c[1].to_owned()).collect()
    };
    let defined = all(r#"id="([^"]+)""#);
    for used in all(r##"href="#([^"]+)""##)
        .iter()
        .chain(&all(r"url\(#([^)]+)\)"))
    {
        assert!(defined.contains(used), "{used}");
    }
}

#[test]
fn pictures_of_all_sizes_are_well_formed() {
    for (w, h) in [
        (1, 1),
        (1, 5),
        (2, 2),
        (9, 9),
        (19, 19),
        (25, 25),
        (5, 13),
        (19, 7),
        (2, 25),
    ] {
        let size = BoardSize::new(w, h).unwrap();
        let mut diagram = Diagram::new(size);
        diagram.title = NAME.to_owned();
        let points: Vec<Point> = size.points().collect();
        for (i, &p) in points.iter().enumerate() {
            match i % 9 {
                0 | 1 => diagram.stones.push((Color::Black, p)),
                2 | 3 => diagram.stones.push((Color::White, p)),
                _ => {}
            }
            let mark = match i % 9 {
                0 => Mark::Dead,
                2 => Mark::Seki,
                5 => Mark::Territory(Color::Black),
                6 => Mark::Territory(Color::White),
                7 => Mark::Number(Color::White, 100 + i as u32),
                8 if i % 2 == 0 => Mark::LikelyDead,
                8 => Mark::LikelySeki,
                _ => continue,
            };
            diagram.marks.push((p, mark));
        }
        diagram.last = points.first().copied();
        diagram.ownership = (0..size.area()).map(|i| (i as f32).sin()).collect();
        // Points outside the board are ignored.
        diagram.ownership.extend([f32::NAN, 1.0]);
        if w < 25 {
            let beyond = Point::new(w as u8, 0);
            diagram.stones.push((Color::Black, beyond));
        }
        diagram.marks.push((Point::NONE, Mark::Dead));
        let svg = diagram.svg();
        expect_well_formed(&svg);
        let uses = |name: &str| svg.matches(&format!("<use href=\"#p-{name}\"")).count();
        let every = |n: usize| (0..points.len()).filter(|i| i % 9 == n).count();
        assert_eq!(uses("black"), every(0) + every(1), "{w}x{h}");
        assert_eq!(uses("white"), every(2) + every(3) + every(7), "{w}x{h}");
        assert_eq!(uses("dead"), every(0), "{w}x{h}");
        assert_eq!(uses("seki"), every(2), "{w}x{h}");
        let likely = uses("likely-dead") + uses("likely-seki");
        assert_eq!(likely, every(8), "{w}x{h}");
        assert_eq!(uses("black-last"), 1, "{w}x{h}");
        assert_eq!(uses("star"), ponnuki::position::star_points(size).len());
        assert!(svg.contains(&format!(">{h}</text>")), "rows have numbers");
        let column = points[w as usize - 1].to_string();
        assert!(svg.contains(&format!(">{}</text>", &column[..1])));
    }
}

/// Assert that a page is self-contained and a record's content is plain text in it.
fn expect_self_contained_and_safe(page: &str) {
    for outside in [
        "http:", "https:", "src=", "url(\"", "@import", "<link", "fetch(",
    ] {
        let at = page.replace(&escaped(NAME), "").replace(&in_data(NAME), "");
        assert!(!at.contains(outside), "{outside}");
    }
    assert!(page.contains("default-src 'none'"));
    assert_eq!(page.matches("</script").count(), 2);
    assert_eq!(page.matches("<img").count(), 0);
    assert!(page.contains(&escaped(NAME)), "the name is shown");
    let href = Regex::new(r#"href="([^"]*)""#).unwrap();
    for link in href.captures_iter(page) {
        assert!(link[1].starts_with('#'), "{}", &link[1]);
    }
    let board = page.split_once("<svg id=\"board\"").unwrap().1;
    let board = board.split_once("</svg>").unwrap().0;
    expect_well_formed(&format!("<svg id=\"board\"{board}</svg>"));
}

fn escaped(text: &str) -> String {
    [
        ('&', "&amp;"),
        ('<', "&lt;"),
        ('>', "&gt;"),
        ('"', "&quot;"),
        ('\'', "&#39;"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (c, entity)| {
        text.replace(*c, entity)
    })
}

fn in_data(text: &str) -> String {
    let quoted = Value::from(text).to_string().replace('<', "\\u003c");
    quoted.trim_matches('"').to_owned()
}

fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// The points of a board in the script's format, rows from the top.
fn digits(board: &Board) -> String {
    let size = board.size();
    let rows = (0..size.height()).rev();
    let points = rows.flat_map(|y| (0..size.width()).map(move |x| Point::new(x, y)));
    points
        .map(|p| match board.at(p).color() {
            None => '0',
            Some(Color::Black) => '1',
            Some(Color::White) => '2',
        })
        .collect()
}

/// The boards that the page's script makes from the changes of each step.
fn replay(start: &str, steps: &Value) -> Vec<String> {
    let mut board: Vec<char> = start.chars().collect();
    let mut boards = vec![start.to_owned()];
    for step in steps.as_array().unwrap() {
        for change in step[2].as_array().unwrap() {
            let change = change.as_u64().unwrap();
            board[(change / 3) as usize] = char::from_digit((change % 3) as u32, 10).unwrap();
        }
        boards.push(board.iter().collect());
    }
    boards
}

/// On an oblong board with set-up stones, with captures, a pass and a ko.
const RECORD: &[u8] = b"(;SZ[5:4]AB[ba]AW[da][db];B[ab];W[aa];B[ac];W[cb];B[bb]\
                        ;W[ca];B[];W[aa];B[dd];W[])";

fn named() -> GameInfo {
    GameInfo {
        black: Some(NAME.to_owned()),
        event: Some(NAME.to_owned()),
        ..GameInfo::default()
    }
}

#[test]
fn a_review_has_every_position_and_knows_what_is_captured() {
    let rules = preset("japanese").unwrap().rules;
    let game = sgf::read(RECORD, &rules, None).unwrap().position;
    let turns = game.turns();
    let corner = Move::Play(Point::new(4, 0));
    let notes: Vec<PositionNote> = (0..=turns.len())
        .map(|n| PositionNote {
            to_move: game.at_turn(n).to_move(),
            win_rate: if n == 3 { 0.25 } else { 0.75 },
            lead: if n == 3 { -4.5 } else { 2.5 },
            visits: n as u32,
            ownership: vec![-1.0; game.size().area()],
            candidates: vec![Candidate {
                vertex: corner,
                win_rate: f32::NAN,
                lead: f64::INFINITY,
                lost: 1.26,
                visits: 3,
                prior: 0.5,
                variation: vec![
                    (Color::Black, corner),
                    (Color::White, Move::Pass),
                    // Occupied: the page shows the variation up to here.
                    (Color::Black, corner),
                    (Color::White, Move::Play(Point::new(0, 0))),
                ],
            }],
        })
        .collect();
    let losses: Vec<MoveNote> = (0..turns.len())
        .map(|n| MoveNote {
            points: if n == 2 { 7.04 } else { 0.0 },
            win_rate: if n == 2 { 0.5 } else { 0.0 },
            is_mistake: n == 2,
            better: (n == 2).then_some(corner),
        })
        .collect();
    let info = named();
    let summary = [
        (NAME.to_owned(), ["1".to_owned(), "2".to_owned()]),
        ("  opening".to_owned(), ["3".to_owned(), "–".to_owned()]),
    ];
    let files = [("game.sgf".to_owned(), format!("(;PB[{NAME}])"))];
    let review = Review {
        info: &info,
        game: &game,
        positions: &notes,
        losses: &losses,
        costliest: &[2, 1000],
        summary: &summary,
        files: &files,
    };
    let page = review.html(None);
    expect_self_contained_and_safe(&page);
    assert!(page.contains("<tr class=\"part\"><th scope=\"row\">opening<td>3<td>–</tr>"));
    let found = data(&page);
    assert_eq!(found["size"], serde_json::json!([5, 4]));
    let positions = found["positions"].as_array().unwrap();
    assert_eq!(positions.len(), turns.len() + 1);
    let boards = replay(found["start"].as_str().unwrap(), &found["moves"]);
    for (n, board) in boards.iter().enumerate() {
        assert_eq!(*board, digits(game.at_turn(n).board()), "move {n}");
    }
    assert_eq!(boards.len(), positions.len());
    assert!(
        boards[4].starts_with('0') && boards[3].starts_with('0'),
        "the stone in the corner is captured: {boards:?}"
    );
    for (n, p) in positions.iter().enumerate() {
        assert_eq!(p["visits"], n);
        assert_eq!(p["ownership"], "A".repeat(20));
        assert_eq!(p["candidates"][0]["line"].as_array().unwrap().len(), 2);
        assert_eq!(p["candidates"][0]["winRate"], 0.0, "JSON has no NaN");
    }
    assert_eq!(positions[0]["player"], 1);
    assert_eq!(positions[0]["candidates"][0]["lost"], 1.3);
    assert_eq!(found["files"][0][1], format!("(;PB[{NAME}])"));
    // The mistake is Black's second move, the third of the game: it can be clicked, and only it is
    // marked in the graph.
    let loss = serde_json::json!({"points": 7.0, "winRate": 0.5, "mistake": true, "better": 19});
    assert_eq!(found["losses"][2], loss);
    assert_eq!(found["losses"][1]["better"], Value::Null);
    let row = "<tr data-move=\"2\" data-player=\"Black\"><td><a href=\"#move=2\">3 Black A2</a>\
               <td>−7.0<td>−50.0<td>E1</tr>";
    assert!(page.contains(row), "{page}");
    assert_eq!(page.matches("<tr data-move").count(), 1);
    assert!(page.contains("<path class=\"loss\" d=\"M3 100V94\"/>"));
    // Fewer notes than positions, and no notes.
    for n in [4, 1, 0] {
        let page = Review {
            positions: &notes[..n],
            ..review
        }
        .html(None);
        let found = data(&page);
        assert_eq!(found["positions"].as_array().unwrap().len(), n);
        let moves = found["moves"].as_array().unwrap().len();
        assert_eq!(moves, n.saturating_sub(1));
    }
}

#[test]
fn a_review_shows_what_was_played_before_the_board_was_set_up() {
    let record = b"(;SZ[5];B[bb];W[dd];B[dd];W[cc];AB[aa]AE[bb])";
    let rules = preset("japanese").unwrap().rules;
    let game = sgf::read(record, &rules, None).unwrap().position;
    let note = PositionNote {
        to_move: Color::Black,
        win_rate: 0.5,
        lead: 0.0,
        visits: 1,
        ownership: Vec::new(),
        candidates: Vec::new(),
    };
    let notes = vec![note; 5];
    let page = Review {
        info: &GameInfo::default(),
        game: &game,
        positions: &notes,
        losses: &[],
        costliest: &[],
        summary: &[],
        files: &[],
    }
    .html(None);
    let found = data(&page);
    let boards = replay(found["start"].as_str().unwrap(), &found["moves"]);
    assert_eq!(boards.len(), 5);
    let parts: Vec<Position> = game.parts().collect();
    assert_eq!(parts.len(), 3);
    assert_eq!(boards[1], digits(parts[0].at_turn(1).board()));
    // The stone is removed for the next move.
    assert_eq!(boards[2], digits(parts[1].start()));
    assert_eq!(boards[3], digits(parts[1].at_turn(1).board()));
    assert_eq!(boards[4], digits(game.board()));
    let set_up: Vec<bool> = (0..4).map(|n| found["moves"][n][3] == true).collect();
    assert_eq!(set_up, [false, true, false, true]);
}

#[test]
fn a_verdict_steps_through_its_proofs() {
    let board = Board::from_diagram(
        ". X O . .
         X X O . .
         O O O . .
         . . . . .
         . . . . .",
    )
    .unwrap();
    let rules = preset("japanese").unwrap().rules;
    let game = Position::from_board(board, Color::Black, rules);
    let at = |x, y| Point::new(x, y);
    let dead = vec![at(1, 4), at(0, 3), at(1, 3)];
    let marks: Vec<(Point, Mark)> = dead.iter().map(|&p| (p, Mark::Dead)).collect();
    let info = named();
    let chains = [Chain {
        stones: dead.clone(),
        text: format!("Dead {NAME}"),
        is_proved: false,
        steps: vec![
            (Color::Black, Move::Pass, "Black passes".to_owned()),
            (Color::White, Move::Pass, format!("White {NAME}")),
            (Color::White, Move::Play(at(0, 4)), "White A5".to_owned()),
        ],
    }];
    let score = game.score(&dead, |_| false);
    let verdict = Verdict {
        info: &info,
        game: &game,
        recorded: None,
        ending: Ending::Counted {
            score: &score,
            marks: &marks,
            chains: &chains,
        },
    };
    expect_well_formed(&verdict.diagram().svg());
    let page = verdict.html(None);
    expect_self_contained_and_safe(&page);
    let found = data(&page);
    let steps = &found["chains"][0]["steps"];
    assert_eq!(steps[1][3], format!("White {NAME}"));
    let boards = replay(found["start"].as_str().unwrap(), steps);
    assert_eq!(&boards[3][..10], "2020000200", "Black is captured");
    assert_eq!(found["marks"].as_array().unwrap().len(), 3);
    for expected in [
        "<h1>White wins by ",
        "<th scope=\"row\">Territory<td>0<td>20",
        "<th scope=\"row\">Prisoners, dead stones included<td>0<td>3",
        "<th scope=\"row\">Komi and handicap<td>0<td>",
        "<li class=\"estimated\"><b>Estimated</b> Dead ",
    ] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
    // A different result in the record is contradicted, an equal one is not.
    let counted = Outcome::from(&score);
    for (recorded, said) in [
        (counted, None),
        (Outcome::Win(Color::White), None),
        (Outcome::Jigo, Some("jigo (0)")),
        (
            Outcome::Resignation(Color::Black),
            Some("Black won by resignation (B+R)"),
        ),
    ] {
        let recorded = Some(recorded);
        let page = Verdict {
            recorded,
            ..verdict
        }
        .html(None);
        assert_eq!(page.contains("role=\"note\""), said.is_some());
        let said = said.map(|said| format!("The record says otherwise: {said}."));
        assert!(page.contains(&said.unwrap_or_default()), "{page}");
    }
}

#[test]
fn a_resigned_game_has_an_estimate_and_no_count() {
    let rules = preset("japanese").unwrap().rules;
    let game = sgf::read(RECORD, &rules, None).unwrap().position;
    let info = named();
    let verdict = Verdict {
        info: &info,
        game: &game,
        recorded: Some(Outcome::Resignation(Color::Black)),
        ending: Ending::Open {
            text: "the record ends <here>.",
            ownership: &[0.9; 20],
        },
    };
    let svg = verdict.diagram().svg();
    expect_well_formed(&svg);
    assert!(svg.contains("class=\"p-share\""));
    let page = verdict.html(None);
    expect_self_contained_and_safe(&page);
    assert!(page.contains("<h1>Black won by resignation</h1>"));
    assert!(page.contains("The record ends &lt;here&gt;."));
    for counted in [
        "<h2>Count</h2>",
        "#p-seki\" x",
        "#p-dead\" x",
        "id=\"chains\"",
    ] {
        assert!(!page.contains(counted), "{counted}");
    }
}

fn ponnuki(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ponnuki"))
        .args(arguments)
        .current_dir(here())
        .output()
        .unwrap()
}

/// Assert that the program fails with one line on standard error that contains `why`.
fn expect_refused(arguments: &[&str], why: &str) {
    let out = ponnuki(arguments);
    let said = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(2), "{said}");
    assert!(said.contains(why) && said.lines().count() == 1, "{said}");
}

#[test]
fn analyze_writes_a_page() {
    let folder = Folder::new("analyze-html");
    let game = folder.file("game.sgf");
    let name = NAME.replace(']', "\\]");
    let record = format!("(;SZ[7]KM[5.5]RU[Japanese]PB[{name}]EV[{name}];B[dd];W[ec];B[])");
    std::fs::write(&game, record).unwrap();
    let page = folder.file("page.html");
    let limits = ["--visits", "20", "--threads", "1"];
    let out = ponnuki(&[&["analyze", &game, "--html", &page][..], &limits].concat());
    assert!(out.status.success(), "{out:?}");
    let page = folder.read("page.html");
    expect_self_contained_and_safe(&page);
    let found = data(&page);
    let positions = found["positions"].as_array().unwrap();
    assert_eq!(positions.len(), 4);
    for p in positions {
        assert_eq!(p["ownership"].as_str().unwrap().len(), 49);
        let candidates = p["candidates"].as_array().unwrap();
        assert!((1..=3).contains(&candidates.len()), "{candidates:?}");
        assert!(candidates.iter().all(|c| c["line"][0][1] == c["move"]));
    }
    let record = folder.read("game-analyzed.sgf");
    assert!(record.contains("SBKV["));
    // The record and the table can be downloaded and agree with the page about a loss.
    assert_eq!(found["files"][0], serde_json::json!(["page.sgf", record]));
    let table = found["files"][1][1].as_str().unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|l| l.split(',').collect()).collect();
    assert_eq!((rows.len(), rows[0][8]), (4, "points_lost"));
    for (row, loss) in rows[1..].iter().zip(found["losses"].as_array().unwrap()) {
        let lost: f64 = row[8].parse().unwrap();
        let shown = loss["points"].as_f64().unwrap();
        assert!((lost - shown).abs() <= 0.06, "{row:?} {loss}");
        assert!(lost >= 0.0);
        // The table has hundredths of a point: rounded again they could differ from the record.
        assert!(
            record.contains(&format!("{} lost {shown:.1} points", row[3])),
            "{record}"
        );
    }
    let rows = page.split_once("id=\"summary\"").unwrap().1;
    assert!(rows.contains("points lost a move<td>") && rows.contains("opening<td>"));
    // By default the page is next to the record.
    let out = ponnuki(&[&["analyze", &game][..], &limits, &["--html"]].concat());
    assert!(out.status.success(), "{out:?}");
    expect_self_contained_and_safe(&folder.read("game-analyzed.html"));
    let missing = folder.file("missing/page.html");
    expect_refused(
        &["analyze", &game, "--html", &missing],
        "there is no folder",
    );
}

/// `score` once took a move after the end for the end.
#[test]
fn a_move_that_the_record_lacks_is_named() {
    let folder = Folder::new("no-such-move");
    let game = folder.file("game.sgf");
    std::fs::write(&game, "(;SZ[9];B[ee];W[cc];B[gc])").unwrap();
    for command in ["score", "solve"] {
        let with = |n| [command, "--net", "off", &game, "--move", n];
        expect_refused(&with("5"), "no move 5: the record has 3 moves");
        expect_refused(&with("abc"), "expected a whole number");
        expect_refused(&with(""), "expected a whole number");
    }
    let out = ponnuki(&["score", "--net", "off", &game, "--move", "4"]);
    assert!(out.status.success(), "{out:?}");
}

#[test]
fn score_writes_a_picture_and_a_page() {
    let folder = Folder::new("score-html");
    let game = folder.file("game.sgf");
    // The first example of the commentary on the Japanese rules.
    let stones = "AB[ba][ca][bb][cb][ac][ad][bd][cd][dd][ed][fd][gd][hd][id][ef]\
                  AW[da][ab][db][bc][cc][dc][ec][fc][gc][hc][ic]";
    let name = NAME.replace(']', "\\]");
    let record = format!("(;SZ[9]KM[0]RU[Japanese]PB[{name}]{stones}PL[B])");
    std::fs::write(&game, record).unwrap();
    let (svg, html) = (folder.file("board.svg"), folder.file("page.html"));
    let out = ponnuki(&["score", &game, "--svg", &svg, "--html", &html, "--explain"]);
    assert!(out.status.success(), "{out:?}");
    let said = String::from_utf8(out.stdout).unwrap();
    let (svg, page) = (folder.read("board.svg"), folder.read("page.html"));
    expect_well_formed(&svg);
    assert!(
        svg.contains("<use href=\"#p-seki\"") && svg.contains("In seki: "),
        "{svg}"
    );
    expect_self_contained_and_safe(&page);
    let proofs: Vec<&str> = said.lines().filter(|l| l.contains("(Article ")).collect();
    assert!(!proofs.is_empty(), "{said}");
    for proof in &proofs {
        let proof = format!("<li class=\"proved\"><b>Proved</b> {proof}");
        assert!(page.contains(&proof), "{proof}: {page}");
    }
    let found = data(&page);
    let chains = found["chains"].as_array().unwrap();
    assert_eq!(chains.len(), proofs.len());
    assert!(chains[0]["steps"].as_array().unwrap().len() > 1);
    let out = ponnuki(&["score", &game, "--html"]);
    assert!(out.status.success(), "{out:?}");
    assert_eq!(folder.read("game-scored.html"), page);
    let missing = folder.file("missing/page.html");
    expect_refused(&["score", &game, "--svg", &missing], "cannot write");
    expect_refused(&["score", &game, "--html", &missing], "cannot write");
    let all = ["score", &game, "--rules", "all", "--svg", "x.svg"];
    expect_refused(&all, "one ruleset, not all");
}
