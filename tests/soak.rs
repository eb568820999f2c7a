//! Endurance: hundreds of games in one process. Takes minutes, so it is run by hand and before a
//! release: `cargo test --release --test soak -- --ignored`.

mod common;

use common::process::{Process, here};
use ponnuki::types::Generator;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

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

    /// Play a game of this size under random rules and a random clock, with some undone moves and
    /// an aborted analysis.
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
        // Seconds for the whole game: each move must be answered within the time left.
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
                // The aborted analysis answers first.
                self.engine.reply();
                self.commands += 1;
            }
        }
        self.ask("final_score");
        self.ask("final_status_list dead");
    }
}

/// Play games of mixed sizes, rules and clocks, with 100,000 commands, in one process: memory and
/// threads do not grow, and no answer is late.
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
    assert!(soak.engine.wait().success());
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

/// The tree's memory is capped, however long the search. The rest is the program with its network,
/// the cache and the tree for short questions.
#[test]
#[ignore = "minutes"]
fn memory_stays_within_its_caps() {
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
        engine.wait();
    }
}

/// Time left on a referee's clock, in seconds. It shares no code with the engine's clock.
#[derive(Clone, Copy)]
struct Left {
    seconds: f64,
    /// Stones left in the period, or periods left; 0 in main time.
    number: u32,
}

/// A time system: its announcement, and the time left after a move.
struct TimeSystem {
    command: &'static str,
    begin: Left,
    longest: usize,
    after: fn(Left, f64) -> Option<Left>,
}

const fn in_main(seconds: f64) -> Left {
    Left { seconds, number: 0 }
}

/// A Canadian period.
const PERIOD: Left = Left {
    seconds: 2.0,
    number: 10,
};

/// `None` if the time is up.
fn absolute(left: Left, used: f64) -> Option<Left> {
    (used < left.seconds).then_some(in_main(left.seconds - used))
}

/// 0.1 s for each move.
fn fischer(left: Left, used: f64) -> Option<Left> {
    absolute(left, used).map(|l| in_main(l.seconds + 0.1))
}

/// 2 s for ten stones, after the main time.
fn canadian(left: Left, used: f64) -> Option<Left> {
    match left.number {
        0 if used < left.seconds => Some(in_main(left.seconds - used)),
        0 => canadian(PERIOD, used - left.seconds),
        n if used < left.seconds => Some(match n {
            1 => PERIOD,
            n => Left {
                seconds: left.seconds - used,
                number: n - 1,
            },
        }),
        _ => None,
    }
}

/// Two periods of 1 s, after the main time.
fn byo_yomi(left: Left, used: f64) -> Option<Left> {
    let (used, periods) = match left.number {
        0 if used < left.seconds => return Some(in_main(left.seconds - used)),
        0 => (used - left.seconds, 2),
        n => (used, n),
    };
    let periods = periods.checked_sub(used as u32).filter(|&n| n > 0)?;
    Some(Left {
        seconds: 1.0,
        number: periods,
    })
}

/// Main time in seconds, and the turn after which a game is stopped. If time is renewed with each
/// move or period, a longer game would add nothing.
const fn system(
    command: &'static str,
    seconds: f64,
    longest: usize,
    after: fn(Left, f64) -> Option<Left>,
) -> TimeSystem {
    TimeSystem {
        command,
        begin: in_main(seconds),
        longest,
        after,
    }
}

/// The first half on 9x9, the second on 19x19.
const SYSTEMS: [TimeSystem; 8] = [
    system("time_settings 2 0 0", 2.0, 600, absolute),
    system("time_settings 1 2 10", 1.0, 160, canadian),
    system("kgs-time_settings byoyomi 1 1 2", 1.0, 60, byo_yomi),
    system("kata-time_settings fischer 1 0.1", 1.0, 160, fischer),
    system("time_settings 12 0 0", 12.0, 600, absolute),
    system("time_settings 4 2 10", 4.0, 120, canadian),
    system("kgs-time_settings byoyomi 8 1 2", 8.0, 80, byo_yomi),
    system("kata-time_settings fischer 3 0.1", 3.0, 120, fischer),
];

/// Play both sides of a game. Returns the side that exceeds its time, if one does, with the time
/// left and the time used.
fn on_time(engine: &mut Process, system: &TimeSystem, told: bool) -> Option<String> {
    engine.ask("clear_board");
    engine.ask(system.command);
    let mut left = [system.begin; 2];
    let mut passes = 0;
    for turn in 0..system.longest {
        let c = turn % 2;
        let letter = ["b", "w"][c];
        let Left { seconds, number } = left[c];
        if told {
            engine.ask(&format!("time_left {letter} {seconds:.3} {number}"));
        }
        let begun = Instant::now();
        let reply = engine.ask(&format!("genmove {letter}"));
        let used = begun.elapsed().as_secs_f64();
        assert!(reply.starts_with('='), "{reply}");
        match (system.after)(left[c], used) {
            Some(after) => left[c] = after,
            None => {
                let command = system.command;
                return Some(format!(
                    "{command}, turn {turn}: {used:.3} s of {seconds:.3}, {number}"
                ));
            }
        }
        passes = if reply == "= PASS" { passes + 1 } else { 0 };
        if reply == "= resign" || passes == 2 {
            break;
        }
    }
    None
}

/// Decrements the number of playing threads when dropped, also by a panic.
struct Playing<'a>(&'a AtomicUsize);

impl Drop for Playing<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// Play games under every time system, two at a time, while other threads keep every core busy:
/// half with `time_left` before each move, half with the network.
#[test]
#[ignore = "half an hour"]
fn no_game_is_lost_on_time_while_every_core_is_busy() {
    const GAMES: usize = 208;
    let (next, playing) = (AtomicUsize::new(0), AtomicUsize::new(2));
    let late = Mutex::new(Vec::new());
    let play = || {
        let _ends = Playing(&playing);
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= GAMES {
                break;
            }
            let system = &SYSTEMS[number % SYSTEMS.len()];
            let round = number / SYSTEMS.len();
            let net = ["off", "built-in"][round % 2];
            let side = if number % SYSTEMS.len() < 4 { 9 } else { 19 };
            let flags = ["--net", net, "--threads", "2", "--memory", "64"];
            let mut engine = Process::start(&flags, here());
            engine.ask(&format!("boardsize {side}"));
            if let Some(what) = on_time(&mut engine, system, (round / 2).is_multiple_of(2)) {
                let what = format!("game {number}, --net {net}: {what}");
                eprintln!("late: {what}");
                late.lock().unwrap().push(what);
            }
            eprintln!("game {number} played");
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(play);
        }
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while playing.load(Relaxed) > 0 {
                    std::hint::spin_loop();
                }
            });
        }
    });
    let late = late.into_inner().unwrap();
    assert!(late.is_empty(), "{late:#?}");
}

/// A short version that always runs.
#[test]
fn a_few_games_in_one_process() {
    soak(&["--net", "off", "--resign-below", "off"], 6);
}
