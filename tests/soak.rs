//! A long life: hundreds of games in one process. Takes minutes, so it is run by hand and
//! in the checks before a release: `cargo test --release --test soak -- --ignored`.

mod common;

use common::process::{Process, here};
use ponnuki::types::Generator;
use std::time::{Duration, Instant};

/// Resident memory, in KiB, and threads of a process.
fn usage(pid: u32) -> Option<(u64, u64)> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let number = |name: &str| {
        let line = status.lines().find(|l| l.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    };
    Some((number("VmRSS:")?, number("Threads:")?))
}

const RULES: [&str; 6] = [
    "japanese",
    "chinese",
    "aga",
    "new-zealand",
    "tromp-taylor",
    "stone-scoring",
];

struct Soak {
    engine: Process,
    rng: Generator,
    commands: u64,
    late: Vec<String>,
}

impl Soak {
    fn ask(&mut self, command: &str) -> String {
        self.commands += 1;
        let reply = self.engine.ask(command);
        assert!(reply.starts_with(['=', '?']), "{command}: {reply}");
        assert!(!reply.contains("internal error"), "{command}: {reply}");
        reply
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.rng.below(of.len() as u32) as usize]
    }

    /// A game of a size, under rules and a clock of chance; undone here and there, an
    /// analysis begun and aborted.
    fn game(&mut self, number: u32) {
        let side = [5, 7, 9, 9, 13][self.rng.below(5) as usize];
        let rules = self.pick(&RULES);
        self.ask(&format!("boardsize {side}"));
        self.ask("clear_board");
        self.ask(&format!("kata-set-rules {rules}"));
        let komi = f64::from(self.rng.below(16)) / 2.0;
        self.ask(&format!("komi {komi}"));
        if self.rng.chance(64) {
            self.ask("place_free_handicap 3");
        }
        // Seconds for all of the game: each move must be answered within what is left.
        let all = 1 + self.rng.below(2);
        self.ask(&format!("time_settings {all} 0 0"));
        let mut left = [f64::from(all); 2];
        let mut passes = 0;
        for turn in 0..3 * side * side {
            let c = (turn % 2) as usize;
            let letter = ["b", "w"][c];
            self.ask(&format!("time_left {letter} {:.2} 0", left[c].max(0.0)));
            let begun = Instant::now();
            let reply = self.ask(&format!("genmove {letter}"));
            left[c] -= begun.elapsed().as_secs_f64();
            if left[c] < 0.0 {
                self.late.push(format!("game {number}: {:.3} s", -left[c]));
                break;
            }
            if reply == "= resign" {
                break;
            }
            passes = if reply == "= PASS" { passes + 1 } else { 0 };
            if passes == 2 {
                break;
            }
            if self.rng.chance(8) {
                self.ask("undo");
                self.ask("undo");
                passes = 0;
            }
            if self.rng.chance(8) {
                self.engine.send("kata-analyze b 1 ownership true\n");
                self.ask("protocol_version");
                // The one that was aborted answers first.
                self.engine.reply();
                self.commands += 1;
            }
        }
        self.ask("final_score");
        self.ask("final_status_list dead");
    }
}

/// Games of mixed sizes, rules and clocks, and 100,000 commands, in one process: memory and
/// threads do not grow, no answer is late.
fn soak(flags: &[&str], games: u32) {
    let threads = ["--threads", "2", "--memory", "64", "--net-cache", "16"];
    let flags = [&threads[..], flags].concat();
    let mut soak = Soak {
        engine: Process::start(&flags, here()),
        rng: Generator::new(2026),
        commands: 0,
        late: Vec::new(),
    };
    let pid = soak.engine.child.id();
    let begun = Instant::now();
    let mut seen = Vec::new();
    for number in 0..games {
        soak.game(number);
        if number % (games / 10).max(1) == 0 || number + 1 == games {
            seen.extend(usage(pid));
            eprintln!(
                "{number} games, {} commands, {:?}: {:?}",
                soak.commands,
                begun.elapsed(),
                seen.last()
            );
        }
    }
    while soak.commands < u64::from(games) * 200 {
        let command = soak.pick(&[
            "name",
            "known_command play",
            "showboard",
            "all_legal b",
            "undo",
            "play b A1",
        ]);
        soak.ask(command);
    }
    eprintln!("{} commands; late: {:?}", soak.commands, soak.late);
    assert!(soak.late.is_empty(), "{:?}", soak.late);
    if let [_, first, .., last] = seen[..] {
        assert!(
            last.0 < first.0 + first.0 / 4 + (16 << 10),
            "memory: {seen:?}"
        );
        assert!(last.1 <= first.1, "threads: {seen:?}");
    }
    soak.engine.send("quit\n");
    assert!(soak.engine.wait(Duration::from_secs(10)).success());
}

#[test]
#[ignore = "minutes"]
fn five_hundred_games_by_playouts() {
    soak(&["--net", "off"], 500);
}

#[test]
#[ignore = "minutes"]
fn five_hundred_games_with_the_network() {
    soak(&["--net", "built-in"], 500);
}

/// What the tree may take is a cap, however long the search: beside it stand the program
/// with its network, the evaluations it remembers and the tree for short questions.
#[test]
#[ignore = "minutes"]
fn memory_keeps_to_its_caps() {
    let cases = [
        ("off", 64),
        ("off", 256),
        ("off", 1024),
        ("built-in", 64),
        ("built-in", 256),
    ];
    for (net, cap) in cases {
        // Enough to fill the tree on 19x19.
        let for_a_megabyte = if net == "off" { 1000 } else { 400 };
        let (memory, playouts) = (cap.to_string(), (cap * for_a_megabyte).to_string());
        let caps = ["--memory", &memory, "--net-cache", "16", "--net", net];
        let most = ["--playouts", &playouts, "--threads", "2"];
        let mut engine = Process::start(&[&caps[..], &most[..]].concat(), here());
        engine.ask("boardsize 19");
        let begun = Instant::now();
        engine.ask("genmove b");
        let (resident, _) = usage(engine.child.id()).unwrap_or_default();
        let mib = resident >> 10;
        let took = begun.elapsed();
        eprintln!("--net {net} --memory {cap}, {playouts} playouts, {took:?}: {mib} MB");
        let room = cap * 3 / 4..cap + 100;
        assert!(room.contains(&mib), "{mib} MB with a cap of {cap}");
        engine.send("quit\n");
        engine.wait(Duration::from_secs(10));
    }
}

/// A short one of the same kind, always.
#[test]
fn a_few_games_in_one_process() {
    soak(&["--net", "off", "--resign-below", "off"], 6);
}
