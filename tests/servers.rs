//! The clients of the game servers, simulated by scripts that send the same commands: kgsGtp (KGS),
//! gtp2ogs (OGS) and CGOS' client. Whole games against an opponent who plays at random.

mod common;

use common::process::{Process, here};
use ponnuki::gtp::vertex;
use ponnuki::position::Position;
use ponnuki::rules::{Ruleset, preset};
use ponnuki::types::{BoardSize, Color, Generator, Move, Point};
use std::time::{Duration, Instant};

/// A client: the engine, and the game as the server sees it.
struct Table {
    engine: Process,
    position: Position,
    rng: Generator,
}

impl Table {
    fn new(flags: &[&str], rules: Ruleset, size: u8, seed: u64) -> Table {
        let flags = [&["--threads", "1", "--playouts", "60"], flags].concat();
        Table {
            engine: Process::start(&flags, here()),
            position: Position::new(BoardSize::square(size), rules),
            rng: Generator::new(seed),
        }
    }

    /// Send a command that must not be refused.
    fn ask(&mut self, command: &str) -> String {
        let reply = self.engine.ask(command);
        assert!(reply.starts_with("= "), "{command}: {reply}");
        reply[2..].to_owned()
    }

    /// Play the opponent's move: random, but not into its own eye.
    fn opponent(&mut self, c: Color) -> Move {
        let board = self.position.board();
        let good: Vec<Point> = self
            .position
            .legal_plays(c)
            .filter(|&p| !board.around(p).is_eye(c) && !board.is_self_atari(c, p))
            .collect();
        let m = match good.len() {
            0 => Move::Pass,
            n => Move::Play(good[self.rng.below(n as u32) as usize]),
        };
        self.position.play(c, m).unwrap();
        m
    }

    /// Apply a reply to genmove, which must be a legal move or a resignation. Returns whether the
    /// game goes on.
    fn take(&mut self, c: Color, reply: &str) -> bool {
        if reply == "resign" {
            return false;
        }
        let m = vertex(reply).unwrap_or_else(|| panic!("'{reply}' is no move"));
        let legal = self.position.play(c, m).map(|_| ());
        assert_eq!(legal, Ok(()), "{reply}\n{:?}", self.position.board());
        true
    }

    fn letter(c: Color) -> char {
        c.letter().to_ascii_lowercase()
    }
}

/// The commands of kgsGtp 3.5 from the challenge to the end of a game.
fn kgs_game(rules: &str, preset_name: &str, time: &str, own: Color, handicap: u32, seed: u64) {
    let own_rules = preset(preset_name).unwrap().rules;
    let mut t = Table::new(&["--resign-below", "off"], own_rules, 9, seed);
    for command in ["list_commands", "name", "version"] {
        assert!(!t.ask(command).is_empty());
    }
    // The challenge, then the game.
    t.ask("boardsize 19");
    t.ask(time);
    t.ask(&format!("kgs-rules {rules}"));
    t.ask("boardsize 9");
    t.ask("clear_board");
    t.ask(if handicap > 1 { "komi 0.5" } else { "komi 6.5" });
    t.ask(time);
    if handicap > 1 {
        let stones = if seed.is_multiple_of(2) {
            t.ask(&format!("place_free_handicap {handicap}"))
        } else {
            let stones = "C3 G7 G3 C7";
            let stones: Vec<&str> = stones.split(' ').take(handicap as usize).collect();
            t.ask(&format!("set_free_handicap {}", stones.join(" ")));
            stones.join(" ")
        };
        let points: Vec<Point> = stones
            .split(' ')
            .map(|v| vertex(v).unwrap().point().unwrap())
            .collect();
        assert_eq!(points.len() as u32, handicap, "{stones}");
        t.position.place_handicap(&points).unwrap();
    }
    let mut undone = false;
    for turn in 0.. {
        assert!(turn < 400, "the game does not end");
        let c = t.position.to_move();
        if c == own {
            // The clock is sent for the engine only, and not before its first move.
            if turn > 1 {
                t.ask(&format!(
                    "time_left {} 5 {}",
                    Table::letter(c),
                    turn % 2 * 3
                ));
            }
            let reply = t.ask(&format!("genmove {}", Table::letter(c)));
            assert!(t.take(c, &reply), "it resigned");
        } else {
            let m = t.opponent(c);
            t.ask(&format!("play {} {m}", Table::letter(c)));
        }
        if t.position.is_over() {
            break;
        }
        // The opponent asks for an undo once, and the game goes on.
        if turn == 7 && !undone {
            undone = true;
            t.ask("undo");
            t.ask("undo");
            t.position.undo(1);
            t.position.undo(1);
        }
    }
    // Scoring: points of the board with stones, and nothing else.
    let dead = t.ask("final_status_list dead");
    for v in dead.split_whitespace() {
        let p = vertex(v).unwrap().point().unwrap();
        assert!(t.position.board().at(p).is_stone(), "{v} is empty");
    }
    let score = t.ask("final_score");
    assert_eq!(score, t.ask("final_score"));
    // A dispute: the opponent passes, the engine captures what it called dead.
    for turn in 0.. {
        assert!(turn < 200, "the clean-up does not end");
        let c = t.position.to_move();
        if c == own {
            let reply = t.ask(&format!("kgs-genmove_cleanup {}", Table::letter(c)));
            assert!(t.take(c, &reply));
            if reply == "PASS" {
                break;
            }
        } else {
            t.ask(&format!("play {} pass", Table::letter(c)));
            t.position.play(c, Move::Pass).unwrap();
        }
    }
    let left = t.ask("final_status_list dead");
    let theirs = left
        .split_whitespace()
        .filter(|v| {
            let p = vertex(v).unwrap().point().unwrap();
            t.position.board().at(p).color() == Some(own.opponent())
        })
        .count();
    assert_eq!(theirs, 0, "{left}\n{:?}", t.position.board());
    t.ask("kgs-game_over");
    // Adjourned, not forgotten; then the next game.
    assert!(t.ask("showboard").contains("Turn "));
    t.ask("boardsize 9");
    t.ask("clear_board");
    assert!(t.ask("genmove b").len() >= 2);
    assert_eq!(t.engine.ask("quit"), "= ");
    assert!(t.engine.wait().success());
}

#[test]
fn kgs_plays_its_games_under_every_ruleset_and_time_system() {
    let games = [
        (
            "japanese",
            "japanese",
            "kgs-time_settings none",
            Color::Black,
            0,
        ),
        (
            "chinese",
            "chinese-kgs",
            "kgs-time_settings absolute 60",
            Color::White,
            0,
        ),
        (
            "aga",
            "aga",
            "kgs-time_settings byoyomi 30 5 3",
            Color::White,
            2,
        ),
        (
            "new_zealand",
            "new-zealand",
            "kgs-time_settings canadian 10 20 10",
            Color::Black,
            3,
        ),
        (
            "chinese",
            "chinese-kgs",
            "time_settings 0 1 0",
            Color::Black,
            0,
        ),
        (
            "japanese",
            "japanese",
            "time_settings 60 0 0",
            Color::White,
            4,
        ),
        ("aga", "aga", "time_settings 10 20 5", Color::Black, 0),
    ];
    for (seed, (rules, name, time, own, handicap)) in games.into_iter().enumerate() {
        kgs_game(rules, name, time, own, handicap, seed as u64);
    }
}

/// Another process resumes an adjourned game: after its moves are replayed, the position is the
/// same.
#[test]
fn kgs_resumes_an_adjourned_game() {
    let rules = preset("japanese").unwrap().rules;
    let mut t = Table::new(&[], rules, 9, 5);
    t.ask("kgs-rules japanese");
    t.ask("boardsize 9");
    for _ in 0..10 {
        let c = t.position.to_move();
        let m = t.opponent(c);
        t.ask(&format!("play {} {m}", Table::letter(c)));
    }
    t.ask("kgs-game_over");
    let shown = t.ask("showboard");
    let mut again = Table::new(&[], rules, 9, 5);
    for command in [
        "kgs-rules japanese",
        "boardsize 9",
        "clear_board",
        "komi 6.5",
    ] {
        again.ask(command);
    }
    for turn in t.position.turns() {
        again.ask(&format!("play {} {}", Table::letter(turn.color), turn.mv));
    }
    assert_eq!(again.ask("showboard"), shown);
    assert_ne!(again.ask("genmove b"), "");
}

/// gtp2ogs 9: lines end with CRLF, times are sent before each move, Fischer time only if it is
/// listed, and standard output must contain only replies.
#[test]
fn ogs_plays_a_game_with_fischer_time() {
    let mut t = Table::new(
        &["--rules", "chinese", "--ogs-chat"],
        preset("chinese").unwrap().rules,
        9,
        3,
    );
    let commands = t.ask("list_commands\r");
    let listed = |name: &str| commands.lines().any(|l| l == name);
    assert!(listed("kata-list_time_settings") && listed("kata-time_settings"));
    let systems = t.ask("kata-list_time_settings\r");
    assert!(systems.split_whitespace().any(|s| s == "fischer-capped"));
    for command in ["boardsize 9\r", "clear_board\r", "komi 7.5\r"] {
        t.ask(command);
    }
    for turn in 0.. {
        assert!(turn < 400, "the game does not end");
        let c = t.position.to_move();
        if c == Color::White {
            t.ask("kata-time_settings fischer-capped 30 5 60 -1\r");
            t.ask("time_left black 12 0\r");
            t.ask("time_left white -1 0\r");
            let reply = t.ask("genmove white\r");
            assert!(!reply.is_empty(), "an empty reply counts as resignation");
            if !t.take(c, &reply) {
                break;
            }
        } else {
            let m = t.opponent(c);
            t.ask(&format!("play black {m}\r"));
        }
        if t.position.is_over() {
            break;
        }
    }
    // A correspondence game starts anew with a rectangular board and its moves.
    for command in [
        "boardsize 7 9\r",
        "clear_board\r",
        "komi 0.5\r",
        "place_free_handicap 5\r",
    ] {
        t.ask(command);
    }
    t.ask("time_settings 86400 3600 1\r");
    t.ask("time_left white 86400 0\r");
    assert_ne!(t.ask("genmove white\r"), "");
}

/// CGOS: area scoring, positional superko, dead stones must be captured; each move by the first
/// listed analysis command.
#[test]
fn cgos_plays_a_game_to_the_end() {
    let rules = preset("tromp-taylor").unwrap().rules;
    let mut t = Table::new(&["--rules", "tromp-taylor"], rules, 9, 9);
    let commands = t.ask("list_commands");
    let listed = |name: &str| commands.lines().any(|l| l == name);
    for name in [
        "boardsize",
        "clear_board",
        "komi",
        "play",
        "genmove",
        "quit",
    ] {
        assert!(listed(name), "{name}");
    }
    let names = [
        "cgos-genmove_analyze",
        "kata-genmove_analyze",
        "lz-genmove_analyze",
    ];
    let first = names.into_iter().find(|n| listed(n)).unwrap();
    for command in [
        "boardsize 9",
        "komi 7",
        "time_settings 300 0 0",
        "clear_board",
    ] {
        t.ask(command);
    }
    let mut lines = 0;
    for turn in 0.. {
        assert!(turn < 600, "the game does not end");
        let c = t.position.to_move();
        if c == Color::Black {
            t.ask(&format!("time_left {} 250 0", Table::letter(c)));
            let reply = t.engine.ask(&format!("{first} {}", Table::letter(c)));
            assert!(reply.starts_with("=\n"), "{reply}");
            let told: Vec<&str> = reply.lines().collect();
            let json: serde_json::Value = serde_json::from_str(told[told.len() - 2]).unwrap();
            assert!(json["moves"].is_array());
            lines += 1;
            let played = told[told.len() - 1]
                .strip_prefix("play ")
                .unwrap()
                .to_owned();
            if !t.take(c, &played) {
                break;
            }
        } else {
            let m = t.opponent(c);
            t.ask(&format!("play {} {m}", Table::letter(c)));
        }
        if t.position.is_over() {
            break;
        }
    }
    assert!(lines > 5);
    // It has won by the stones on the board, of which none are removed.
    assert!(t.position.is_over());
    let winner = t.position.score(&[], |_| false).winner();
    assert_eq!(winner, Some(Color::Black), "{:?}", t.position.board());
}

/// Commands without a search are answered at once late in a game on a large board, as is the first
/// command of a process. Prints medians, in milliseconds.
#[test]
#[ignore = "measures time"]
fn answers_come_at_once() {
    let median = |mut times: Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    let starts = (0..11).map(|_| {
        let begun = Instant::now();
        let mut fresh = Process::start(&[], here());
        assert_eq!(fresh.ask("name"), "= Ponnuki");
        begun.elapsed()
    });
    let start = median(starts.collect());
    println!(
        "{:28} {:8.3} ms",
        "first answer of a process",
        start.as_secs_f64() * 1e3
    );
    // These bounds are far above the printed times, and within what clients accept.
    assert!(start < Duration::from_millis(500), "{start:?}");
    let mut t = Table::new(&["--rules", "new-zealand"], Ruleset::default(), 19, 1);
    for _ in 0..300 {
        let c = t.position.to_move();
        let m = t.opponent(c);
        t.ask(&format!("play {} {m}", Table::letter(c)));
    }
    for command in [
        "name",
        "list_commands",
        "showboard",
        "all_legal b",
        "ponnuki-all_illegal w",
        "printsgf",
        "kata-get-rules",
        "kata-get-params",
        "get_komi",
        "time_left b 10 0",
        "undo",
    ] {
        let times = (0..11).map(|_| {
            let begun = Instant::now();
            t.ask(command);
            begun.elapsed()
        });
        let time = median(times.collect());
        println!("{command:28} {:8.3} ms", time.as_secs_f64() * 1e3);
        assert!(time < Duration::from_millis(100), "{command}");
    }
}
