//! The commands other than the protocols, as a user calls them.

mod common;

use common::folder::Folder;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

fn ponnuki(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ponnuki"))
        .args(arguments)
        .current_dir(common::process::here())
        .output()
        .unwrap()
}

/// Run the program with these arguments, as a shell splits them.
fn shell(arguments: &str) -> Output {
    let words = shlex::split(arguments).unwrap();
    ponnuki(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_match_is_played_counted_and_recorded() {
    let folder = Folder::new("match");
    let strong = format!("'{}' --level 4 --threads 1", env!("CARGO_BIN_EXE_ponnuki"));
    let weak = format!("'{}' --level 1 --threads 1", env!("CARGO_BIN_EXE_ponnuki"));
    let out = shell(&format!(
        "match --a {strong:?} --b {weak:?} --games 6 --size 7 --rules chinese --concurrency 2 \
         --sgf {:?} --sprt -50 50",
        &*folder
    ));
    let said = text(&out.stdout);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(
        said.contains(" of 6 games, Elo ") && said.contains("Faults 0; "),
        "{said}"
    );
    assert!(
        said.contains("SPRT -50 50: ") && said.contains("undecided"),
        "{said}"
    );
    for n in 1..=6 {
        let game = std::fs::read(folder.join(format!("{n:04}.sgf"))).unwrap();
        let game = text(&game);
        assert!(
            game.contains("SZ[7]") && game.contains("RU[Chinese]"),
            "{game}"
        );
        // Colours alternate.
        let black = if n % 2 == 1 { "--level 4" } else { "--level 1" };
        let (_, name) = game.split_once("PB[").unwrap();
        assert!(name.split(']').next().unwrap().contains(black), "{game}");
        assert!(game.contains("RE[B+") || game.contains("RE[W+"), "{game}");
    }
}

/// An engine that exits loses the game but not the match.
#[test]
fn faults_and_lost_time_are_counted() {
    let python = Command::new("python3").arg("--version").output();
    if python.is_err() {
        assert!(
            std::env::var_os("PONNUKI_CI").is_none(),
            "python3 is missing"
        );
        eprintln!("skipped: faults_and_lost_time_are_counted needs python3");
        return;
    }
    let good = format!(
        "'{}' --playouts 20 --threads 1",
        env!("CARGO_BIN_EXE_ponnuki")
    );
    let script = |genmove: &str| {
        let program = "import sys,time\nfor l in sys.stdin:\n c=l.split()\n \
             if not c: continue\n if c[0]=='genmove': GENMOVE\n \
             r={'known_command':'false','name':'Bad'}.get(c[0],'')\n \
             print('= '+(m if c[0]=='genmove' else r)+'\\n',flush=True)\n if c[0]=='quit': break\n";
        format!("python3 -c \"{}\"", program.replace("GENMOVE", genmove))
    };
    for (genmove, expected) in [
        ("m='Z99'", "'Z99' is not a move"),
        ("m='A1'", "illegal move A1"),
        ("sys.exit()", "the program has ended\n"),
        (
            "sys.exit('no memory')",
            "the program has ended (no memory)\n",
        ),
        ("time.sleep(9);m='A1'", "no answer in time"),
    ] {
        let bad = script(genmove);
        let out = shell(&format!(
            "match --a {good:?} --b {} --games 2 --size 5 --hang 2 --openings 0",
            shlex::try_quote(&bad).unwrap()
        ));
        let said = text(&out.stdout);
        assert!(out.status.success(), "{}", text(&out.stderr));
        assert!(said.starts_with("A 2 wins, 0 losses"), "{genmove}: {said}");
        assert!(
            said.contains("Faults 2") && said.contains(expected),
            "{genmove}: {said}"
        );
    }
    let slow = script("time.sleep(1.2);m='pass'");
    let out = ponnuki(&[
        "match", "--a", &good, "--b", &slow, "--games", "1", "--size", "5", "--main", "1",
    ]);
    let said = text(&out.stdout);
    assert!(said.contains("lost on time A 0, B 1"), "{said}");
    let note = "B: lost on time: its 1 s ended in a move of 1.";
    assert!(said.contains(note), "{said}");
    // Time per move counts too, with a second for the transfer.
    for (seconds, lost) in [("1.1", 0), ("2.1", 1)] {
        let slow = script(&format!("time.sleep({seconds});m='pass'"));
        let limits = ["--games", "1", "--size", "3", "--seconds", "1"];
        let out = ponnuki(&[&["match", "--a", &slow, "--b", &good][..], &limits].concat());
        let said = text(&out.stdout);
        let time = format!("lost on time A {lost}, B 0");
        assert!(said.contains(&time), "{said}");
        assert_eq!(
            said.contains("A: lost on time by a move of 2."),
            lost == 1,
            "{said}"
        );
    }
    for (a, why) in [
        ("no-such-program", "cannot start"),
        ("'open", "a quote is not closed"),
        ("", "it is empty"),
    ] {
        let out = ponnuki(&["match", "--a", a, "--b", &good]);
        assert_eq!(out.status.code(), Some(2));
        assert!(text(&out.stderr).contains(why), "{}", text(&out.stderr));
    }
}

/// An engine that fails outside its moves is named and replaced, but loses no game. Its allowed
/// thinking time does not count as silence.
#[test]
fn faults_outside_moves_cost_no_game() {
    if !python("what_an_engine_does_beside_its_moves_costs_no_game") {
        return;
    }
    // Always passes; runs `then` before it answers the command `at`.
    let stub = |at: &str, then: &str| {
        format!(
            "python3 -c \"import sys,time\nfor l in sys.stdin:\n c=l.split()\n if not c: \
             continue\n r={{'known_command':'true','genmove':'pass','final_score':'W+7'}}\
             .get(c[0],'')\n s='= '\n if c[0]=='{at}': {then}\n print(s+r+'\\n',flush=True)\n \
             if c[0]=='quit': break\n\""
        )
    };
    let played = |a: &str, more: &[&str]| {
        let plain = stub("name", "pass");
        let arguments = [
            "match",
            "--a",
            a,
            "--b",
            &plain,
            "--size",
            "5",
            "--openings",
            "0",
        ];
        let rules = ["--rules", "chinese", "--komi", "7"];
        let out = ponnuki(&[&arguments[..], &rules, more].concat());
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stdout)
    };
    for (then, why) in [
        (
            "time.sleep(4)",
            "A: 'final_score': no answer in time (games: 2)",
        ),
        (
            "sys.exit()",
            "A: 'final_score': the program has ended (games: 2)",
        ),
    ] {
        let said = played(&stub("final_score", then), &["--games", "2", "--hang", "1"]);
        assert!(said.starts_with("A 1 wins, 1 losses"), "{said}");
        assert!(said.contains("Faults 0") && said.contains(why), "{said}");
    }
    let said = played(&stub("final_score", "r='none'"), &["--games", "2"]);
    let note = "A: final_score: 'none' is not a score (games: 2)";
    assert!(said.contains(note), "{said}");
    let refuses = stub("kata-set-rules", "s='? '");
    let said = played(&refuses, &["--games", "2"]);
    assert!(
        said.contains("A: refuses the rules of the match (games: 2)"),
        "{said}"
    );
    let refuses = stub("time_settings", "s='? '");
    let said = played(&refuses, &["--games", "2", "--seconds", "1"]);
    assert!(
        said.starts_with("A 1 wins, 1 losses") && said.contains("Faults 0"),
        "{said}"
    );
    assert!(
        said.contains("A: refuses time_settings (games: 2)"),
        "{said}"
    );
    // A failure before the game starts costs no game.
    let plain = stub("name", "pass");
    let refuses = stub("boardsize", "s='? no'");
    let out = ponnuki(&["match", "--a", &plain, "--b", &refuses, "--games", "2"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        text(&out.stderr).contains("game 1: B: 'boardsize 19': no: no game can be played"),
        "{}",
        text(&out.stderr)
    );
    assert_eq!(text(&out.stdout), "");
    let slow = stub("genmove", "time.sleep(2)");
    let said = played(&slow, &["--games", "1", "--hang", "1", "--seconds", "4"]);
    assert!(said.contains("Faults 0"), "{said}");
    for (wrong, why) in [
        (["5", "5"], "ELO0 must be less than ELO1"),
        (["5", "0"], "ELO0 must be less than ELO1"),
        (["nan", "5"], "expected a number from -4000 to 4000"),
    ] {
        let arguments = ["match", "--a", "x", "--b", "y", "--sprt"];
        let out = ponnuki(&[&arguments[..], &wrong].concat());
        assert!(text(&out.stderr).contains(why));
        // The last of several counts.
        let first = [
            "match", "--a", "x", "--b", "y", "--sprt", "0", "5", "--sprt",
        ];
        let out = ponnuki(&[&first[..], &wrong].concat());
        assert!(text(&out.stderr).contains(why));
    }
}

/// Black's three points in a row need a move if White is to move. With a button the first of two
/// passes does not count, but the record is over.
#[test]
fn two_passes_end_a_record_under_every_ruleset() {
    let folder = Folder::new("two-passes");
    let black = "AB[ea][ab][bb][cb][db][eb]";
    let white = "AW[fa][fb][gb][ac][bc][cc][dc][ec][fc][bd][dd][fd][gd][ae][be][ce][de][ee][fe][ge]\
                 [bf][df][ff][ag][bg][cg][dg][eg][fg][gg]";
    let record = format!("(;SZ[7]KM[0]RU[AGA]{black}{white};W[ga];B[da];W[];B[])");
    let file = folder.write("game.sgf", record);
    let line = |name: &str, move_given: &[&str]| {
        let arguments = ["score", &file, "--rules", "all", "--net", "off"];
        let out = ponnuki(&[&arguments[..], move_given].concat());
        let shown = text(&out.stdout);
        let line = shown.lines().find(|line| line.starts_with(name)).unwrap();
        line.to_owned()
    };
    for name in ["aga ", "aga-button "] {
        let line = line(name, &[]);
        assert!(line.ends_with("dead stones removed 0"), "{line}");
    }
    // The position before a move is judged as it stands: the button is still to be taken.
    let line = line("aga-button ", &["--move", "5"]);
    assert!(line.ends_with("dead stones removed 7"), "{line}");
}

#[test]
fn katago_gets_no_rules_that_it_refuses() {
    if !python("katago_is_sent_no_rules_that_it_refuses") {
        return;
    }
    // Always passes, knows only KataGo's commands, and refuses rules as KataGo does.
    let stub = "python3 -c \"import sys\nfor l in sys.stdin:\n c=l.split()\n if not c: continue\n \
                r={'known_command':str(c[-1]=='kata-set-rules').lower(),'genmove':'pass',\
                'final_score':'0'}.get(c[0],'')\n s='= '\n \
                if 'rules' in c[0] and ('deadStones' in l or c[1]=='uk'): s='? '\n \
                print(s+r+'\\n',flush=True)\n if c[0]=='quit': break\n\"";
    let said_of = |engine: &str, rules: &str| {
        let out = ponnuki(&[
            "match", "--a", engine, "--b", engine, "--games", "1", "--size", "5", "--rules", rules,
        ]);
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stdout)
    };
    let said = |rules: &str| said_of(stub, rules);
    for rules in ["aga", "japanese", "chinese"] {
        assert!(!said(rules).contains("rules"), "{}", said(rules));
    }
    let near = "A: plays new-zealand as KataGo does, not as the match (games: 1)";
    assert!(said("new-zealand").contains(near));
    let none = "A: rules not sent: KataGo's commands cannot express uk (games: 1)";
    assert!(said("uk").contains(none), "{}", said("uk"));
    let without = said_of(&stub.replace("=='kata-set-rules'", "=='quit'"), "aga");
    let why = "A: rules not sent: it has no kata-set-rules (games: 1)";
    assert!(without.contains(why), "{without}");
}

#[cfg(unix)]
#[test]
fn an_engine_is_started_by_a_path_with_blanks_and_backslashes() {
    let folder = Folder::new("path");
    let engine = folder.join("my \\ engine");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_ponnuki"), &engine).unwrap();
    let engine = engine.to_str().unwrap();
    let good = format!(
        "'{}' --playouts 5 --threads 1",
        env!("CARGO_BIN_EXE_ponnuki")
    );
    let limits = ["--games", "1", "--size", "3", "--seconds", "1"];
    let out = ponnuki(&[&["match", "--a", engine, "--b", &good][..], &limits].concat());
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(text(&out.stdout).contains("Faults 0"));
}

/// Two processes would overwrite each other's games.
#[test]
fn a_file_of_games_has_one_writer() {
    let folder = Folder::new("writers");
    let out = folder.file("x.games");
    let selfplay = |games: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ponnuki"));
        let arguments = ["selfplay", "--size", "7", "--threads", "1", "--seed", "5"];
        command
            .args(arguments)
            .args(["--out", &out, "--games", games]);
        command.stdout(Stdio::null());
        command
    };
    let mut first = selfplay("100000").stderr(Stdio::null()).spawn().unwrap();
    while std::fs::metadata(&out).map_or(0, |m| m.len()) < 100 {
        std::thread::sleep(Duration::from_millis(20));
    }
    let second = selfplay("10").output().unwrap();
    first.kill().unwrap();
    first.wait().unwrap();
    let said = text(&second.stderr);
    assert!(said.contains("another process writes to it"), "{said}");
    assert!(selfplay("1").output().unwrap().status.success());
}

#[test]
fn handicap_games_are_played_with_black_by_the_second_engine() {
    let folder = Folder::new("handicap");
    let strong = format!("'{}' --level 2 --threads 1", env!("CARGO_BIN_EXE_ponnuki"));
    let weak = format!("'{}' --level 1 --threads 1", env!("CARGO_BIN_EXE_ponnuki"));
    let played = |more: &[&str]| {
        let both = ["match", "--a", &strong, "--b", &weak, "--games", "3"];
        ponnuki(&[&both, more].concat())
    };
    let sgf = folder.to_str().unwrap();
    let out = played(&[
        "--handicap",
        "3",
        "--size",
        "9",
        "--rules",
        "bga",
        "--sgf",
        sgf,
    ]);
    let said = text(&out.stdout);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(said.contains("Faults 0; "), "{said}");
    let mut openings = Vec::new();
    for n in 1..=3 {
        let game = folder.read(&format!("{n:04}.sgf"));
        for expected in ["HA[3]", "AB[cg][cc][gc]", "KM[0.5]", "--level 2"] {
            assert!(game.contains(expected), "{expected}: {game}");
        }
        assert!(game.find("PB[").unwrap() < game.find("--level 1").unwrap());
        assert!(game.find("PW[").unwrap() < game.find("--level 2").unwrap());
        let (_, moves) = game.split_once(";W[").unwrap();
        openings.push(moves[..9].to_owned());
    }
    // Colours do not alternate, so openings need not come in pairs.
    assert!(openings[0] != openings[1] || openings[1] != openings[2]);
    for (stones, size, why) in [
        ("4", "5", "no points for 4 handicap stones on 5x5"),
        ("10", "19", "--handicap"),
        ("1", "19", "--handicap"),
    ] {
        let out = played(&["--handicap", stones, "--size", size]);
        assert_eq!(out.status.code(), Some(2));
        assert!(text(&out.stderr).contains(why), "{}", text(&out.stderr));
    }
}

/// The list used to be out of order, and named the played move as the better one.
#[test]
fn the_costliest_moves_come_first_and_none_is_better_than_itself() {
    let folder = Folder::new("costly");
    let file = folder.join("game.sgf");
    // Black misses a capture, White fills an eye, both play on the edge.
    let game = "(;GM[1]FF[4]SZ[7]KM[9]RU[Chinese];B[dd];W[dc];B[cc];W[ed];B[ec];W[ee];B[db]\
                ;W[aa];B[ga];W[fc];B[eb];W[ag];B[gg];W[fd])";
    std::fs::write(&file, game).unwrap();
    let out = shell(&format!(
        "analyze {file:?} --net off --visits 300 --threads 1"
    ));
    let said = text(&out.stdout);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let (list, table) = said
        .split_once("                           Black   White")
        .expect(&said);
    let mut listed = 0;
    for of_player in list.split("costliest moves:").skip(1) {
        let mut last = f64::INFINITY;
        for line in of_player.lines().filter(|l| l.contains(" lost ")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let lost: f64 = words[3].parse().unwrap();
            let better = words.iter().position(|w| *w == "better:").unwrap();
            assert!(lost <= last && lost >= 1.0, "{said}");
            assert_ne!(words[1], words[better + 1], "{said}");
            (last, listed) = (lost, listed + 1);
        }
    }
    assert!(listed >= 4, "{said}");
    for row in [
        "moves ",
        "points lost a move",
        "  opening",
        "the search's choice",
        "lost 12 ",
    ] {
        assert!(table.contains(row), "{row}: {said}");
    }
    assert!(said.ends_with("game-analyzed.sgf\n"), "{said}");
    let written = text(&std::fs::read(folder.join("game-analyzed.sgf")).unwrap());
    assert!(written.contains("BM["), "{written}");
}

#[test]
fn an_analysed_record_is_the_same_game_with_notes() {
    let folder = Folder::new("analyze");
    let file = folder.join("game.sgf");
    let game = "(;GM[1]FF[4]SZ[9]KM[5.5]RU[Japanese]PB[a]PW[b];B[ee]C[What: a ];W[ec];B[cc](;W[cg];B[gg])(;W[aa]))";
    std::fs::write(&file, game).unwrap();
    let out = shell(&format!("analyze {file:?} --visits 30 --threads 1"));
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("left out: a variation"));
    let written = text(&std::fs::read(folder.join("game-analyzed.sgf")).unwrap());
    for expected in [
        "KM[5.5]",
        "RU[Japanese]",
        "PB[a]",
        "SBKV[",
        "V[",
        " visits",
        "C[What: a\n\nBlack ",
    ] {
        assert!(written.contains(expected), "{expected}: {written}");
    }
    // A note on the start and on each position after a turn.
    assert_eq!(written.matches("SBKV[").count(), 6, "{written}");
    let scored = |path: &PathBuf| ponnuki(&["score", path.to_str().unwrap()]).stdout;
    assert_eq!(scored(&file), scored(&folder.join("game-analyzed.sgf")));
    // Stones are set up in the middle of a game, White to move first after them.
    let game = "(;GM[1]SZ[9]RU[Japanese];B[ee];W[cc];B[gg];AB[aa]AW[bb];W[gc];B[cg])";
    std::fs::write(&file, game).unwrap();
    // Limits and rules in the configuration file count like options.
    let config = folder.join("ponnuki.toml");
    let settings = "visits = 20\nthreads = 1\nrules = \"new-zealand\"\n";
    std::fs::write(&config, settings).unwrap();
    let out = shell(&format!("analyze {file:?} --config {config:?}"));
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("set up after move 3"));
    let written = text(&std::fs::read(folder.join("game-analyzed.sgf")).unwrap());
    assert_eq!(written.matches("SBKV[").count(), 7, "{written}");
    assert!(written.contains("RU[NZ]"), "{written}");
    // Branches are written before those at earlier moves.
    let after = written.split("AB[aa]AW[bb]PL[W]").nth(1).unwrap();
    let first_moves: Vec<&str> = after
        .split("\n(;")
        .skip(1)
        .map(|branch| &branch[..1])
        .collect();
    assert_eq!(first_moves[0], "W", "{written}");
    let out = ponnuki(&["analyze", "no-such-file.sgf"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("cannot read no-such-file.sgf"));
}

/// Create a folder with some short games, an unreadable one and an archive.
fn records(folder: &std::path::Path) -> PathBuf {
    let games = folder.join("games");
    std::fs::create_dir_all(games.join("club")).unwrap();
    let game = |first: char| {
        let rows = first as u8..first as u8 + 5;
        let moves = rows.flat_map(|x| [(x, 'B'), (x + 1, 'W')]).enumerate();
        let moves = moves.map(|(i, (x, c))| {
            let y = char::from(b'a' + (i as u8 * 5 + x) % 7);
            format!(";{c}[{}{y}]", char::from(b'a' + x % 7))
        });
        format!("(;SZ[7]RU[Chinese]KM[7]{})\n", moves.collect::<String>())
    };
    let all: String = ('b'..='i').map(game).collect();
    let file = std::fs::File::create(games.join("some.sgfs.gz")).unwrap();
    let mut file = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    std::io::Write::write_all(&mut file, all.as_bytes()).unwrap();
    file.finish().unwrap();
    std::fs::write(games.join("club/one, two.sgf"), game('c')).unwrap();
    std::fs::write(games.join("club/bad.sgf"), "no record").unwrap();
    games
}

#[test]
fn an_archive_killed_and_resumed_has_every_game_once() {
    let folder = Folder::new("archive");
    let games = records(&folder);
    let command = |out: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ponnuki"));
        let limits = ["--playouts", "1500", "--threads", "2", "--net", "off"];
        command.arg("analyze").arg(&games).args(limits);
        command.arg("--out").arg(folder.join(out));
        command
    };
    let table = |out: &str| {
        let text = std::fs::read_to_string(folder.join(out).join("moves.csv")).unwrap();
        let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
        rows.sort();
        rows
    };
    let whole = command("whole").output().unwrap();
    assert!(whole.status.success(), "{}", text(&whole.stderr));
    let said = text(&whole.stdout);
    assert!(
        said.contains("Refused games-club-bad: no game record"),
        "{said}"
    );
    assert!(said.contains("9 games in ") && said.contains(" 1 refused, 0 known before"));
    assert_eq!(table("whole").len(), 1 + 9 * 10);
    assert!(
        table("whole")
            .iter()
            .any(|row| row.starts_with("\"games-club-one, two\",10,W,"))
    );

    // Killed at several moments, once with half a row and half an entry written.
    for milliseconds in [150, 300, 450] {
        let mut child = command("parts").stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    for (file, half) in [
        ("moves.csv", "games-some-8,1,B,"),
        ("journal.txt", "99999\tgames-s"),
    ] {
        let path = folder.join("parts").join(file);
        let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
        std::io::Write::write_all(&mut file, half.as_bytes()).unwrap();
    }
    let rest = command("parts").output().unwrap();
    assert!(rest.status.success(), "{}", text(&rest.stderr));
    assert_eq!(table("parts"), table("whole"));
    for row in table("whole")
        .iter()
        .filter(|row| row.starts_with("games-some"))
    {
        let name = row.split(',').next().unwrap();
        let [one, other] =
            ["whole", "parts"].map(|out| folder.join(out).join(format!("{name}.sgf")));
        assert_eq!(std::fs::read(one).unwrap(), std::fs::read(other).unwrap());
    }
    // Nothing is left to do, and other settings need another folder.
    assert!(
        text(&command("parts").output().unwrap().stdout).contains("10 known before; 0 positions")
    );
    let other = command("parts").args(["--visits", "3"]).output().unwrap();
    assert!(text(&other.stderr).contains("was begun with other settings"));
}

/// Run the program in a folder.
fn run_in(folder: &Folder, arguments: &[&str]) -> Output {
    let mut ponnuki = Command::new(env!("CARGO_BIN_EXE_ponnuki"));
    ponnuki.args(arguments).current_dir(folder.join("."));
    ponnuki.output().unwrap()
}

/// On Windows no shell expands them.
#[test]
fn a_pattern_names_the_files_that_match_unless_a_file_is_called_so() {
    let folder = Folder::new("patterns");
    let run = |arguments: &[&str]| {
        let out = run_in(&folder, arguments);
        (text(&out.stdout), text(&out.stderr))
    };
    for name in ["one game.sgf", "two.sgf", "[x].sgf"] {
        folder.write(name, "(;SZ[5];B[cc];W[bb])");
    }
    let analyze = ["analyze", "--visits", "2", "--threads", "1", "--net", "off"];
    let (said, error) = run(&[&analyze[..], &["*.sgf"]].concat());
    assert!(said.contains("3 games in "), "{said}{error}");
    let (said, error) = run(&[&analyze[..], &["o?e*.sgf"]].concat());
    assert!(
        said.ends_with("Written to one game-analyzed.sgf\n"),
        "{said}{error}"
    );
    let (said, error) = run(&[&analyze[..], &["[x].sgf"]].concat());
    assert!(
        said.ends_with("Written to [x]-analyzed.sgf\n"),
        "{said}{error}"
    );
    let (said, error) = run(&["score", "tw*.sgf"]);
    assert!(said.contains("Unfinished: "), "{said}{error}");
    for (arguments, expected) in [
        (["analyze", "no*.sgf"], "no file matches no*.sgf"),
        (["solve", "no*.sgf"], "no file matches no*.sgf"),
        (["score", "no*.sgf"], "no file matches no*.sgf"),
        (["play", "no*.sgf"], "no file matches no*.sgf"),
        (["analyze", "***.sgf"], "***.sgf: Pattern syntax error"),
        (["score", "*.sgf"], "expected one file, but 5 match *.sgf"),
    ] {
        let error = run(&arguments).1;
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
}

/// Results of earlier runs, unreadable files and records of the same name elsewhere do not disturb
/// an analysis.
#[test]
fn results_broken_files_and_other_records_do_no_harm() {
    let folder = Folder::new("again");
    let record = |at: &str| format!("(;SZ[5];B[{at}];W[cc])");
    let run = |arguments: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_ponnuki"))
            .arg("analyze")
            .args(arguments)
            .args(["--visits", "2", "--threads", "1"])
            .current_dir(folder.join("."))
            .output()
            .unwrap();
        (text(&out.stdout), text(&out.stderr))
    };
    for (file, at) in [("a.sgf", "bb"), ("x/g/c.sgf", "bd"), ("y/g/c.sgf", "db")] {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, record(at)).unwrap();
    }
    std::fs::write(folder.join("b.sgf.gz"), [0x1f, 0x8b, 8, 0, 0]).unwrap();
    let (first, error) = run(&["."]);
    assert!(
        first.contains("3 games in ") && first.contains("1 refused"),
        "{first}{error}"
    );
    assert!(
        first.contains("Refused b: cannot read ./b.sgf.gz"),
        "{first}"
    );
    assert!(folder.join("analyzed/a.sgf").is_file());
    assert!(run(&["."]).0.contains("4 known before; 0 positions"));
    assert!(run(&["analyzed"]).1.contains("give another --out"));
    // Results of other runs are not games: those of a folder, and of one record.
    assert!(run(&["a.sgf"]).0.contains("Written to a-analyzed.sgf"));
    let (other, _) = run(&[".", "--out", "other"]);
    assert!(
        other.contains("3 games in ") && other.contains("1 refused"),
        "{other}"
    );
    // A table that a spreadsheet has saved, or that is missing, is not continued.
    let table = folder.join("other/moves.csv");
    let rows = std::fs::read_to_string(&table).unwrap();
    for changed in [Some(rows.replace('\n', "\r\n")), Some(String::new()), None] {
        match &changed {
            Some(rows) => std::fs::write(&table, rows).unwrap(),
            None => std::fs::remove_file(&table).unwrap(),
        }
        let (_, refused) = run(&[".", "--out", "other"]);
        assert!(
            refused.contains("other/moves.csv does not match other/journal.txt"),
            "{refused}"
        );
    }
    // The file has been repaired.
    std::fs::write(folder.join("b.sgf.gz"), record("dd")).unwrap();
    let (again, _) = run(&["."]);
    assert!(again.contains("4 games in ") && again.contains("3 known before; 3 positions"));
    // Another record of the same name.
    assert!(run(&["x/g", "--out", "o"]).0.contains("1 games in "));
    let (other, _) = run(&["y/g", "--out", "o"]);
    assert!(
        other.contains("Refused g-c: o/moves.csv has another record"),
        "{other}"
    );
    assert!(
        other.contains("0 games in ") && other.contains("0 known before"),
        "{other}"
    );
    // If no record is usable, the program fails.
    let none = shell(&format!(
        "analyze {:?} --visits 2 --threads 1 --out {:?}",
        folder.join("y/g"),
        folder.join("o")
    ));
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("no record could be used"));
}

/// A move on a stone and stones set up in the middle used to discard the game before them.
#[test]
fn moves_and_comments_before_a_set_up_are_kept() {
    let folder = Folder::new("numbers");
    let set_up = "(;SZ[5]RU[Mine];B[bb];W[dd];B[cc]AB[aa];W[db]BL[20];B[bd])";
    let on_a_stone = "(;SZ[5]C[start];B[bb]C[one];W[dd]C[two];B[dd]C[three];W[db]C[four])";
    folder.write("games.sgfs", format!("{set_up}\n{on_a_stone}\n"));
    let out = Command::new(env!("CARGO_BIN_EXE_ponnuki"))
        .args(["analyze", "games.sgfs", "--visits", "20", "--threads", "1"])
        .current_dir(folder.join("."))
        .output()
        .unwrap();
    let said = text(&out.stderr);
    assert!(out.status.success(), "{said}");
    assert!(
        said.contains("only their main line and comments: 1"),
        "{said}"
    );
    assert!(said.contains("RU[Mine] is not known: using new-zealand rules"));
    let rows = text(&std::fs::read(folder.join("analyzed/moves.csv")).unwrap());
    let moves: Vec<String> = rows
        .lines()
        .skip(1)
        .map(|row| row.split(',').take(4).collect::<Vec<_>>().join(" "))
        .collect();
    let first = ["1 B B4", "2 W D2", "3 B C3", "4 W D4", "5 B B2"].map(|m| format!("games-1 {m}"));
    let second = ["1 B B4", "2 W D2", "3 B D2", "4 W D4"].map(|m| format!("games-2 {m}"));
    assert_eq!(moves, [&first[..], &second].concat());
    let written = text(&std::fs::read(folder.join("analyzed/games-1.sgf")).unwrap());
    assert!(written.contains("RU[Mine]"), "{written}");
    let written = text(&std::fs::read(folder.join("analyzed/games-2.sgf")).unwrap());
    let said = ["start", "one", "two", "three", "four"].map(|c| written.find(&format!("C[{c}\n")));
    assert!(
        said.iter().all(Option::is_some) && said.is_sorted(),
        "{written}"
    );
    let (one, page) = (folder.write("one.sgf", set_up), folder.file("page.html"));
    let limits = ["--visits", "2", "--threads", "1"];
    let out = ponnuki(&[&["analyze", &one, "--html", &page][..], &limits].concat());
    assert!(out.status.success(), "{}", text(&out.stderr));
    let page = folder.read("page.html");
    let data = page.split("\"moves\":").nth(1).unwrap();
    let moves: serde_json::Value = serde_json::Deserializer::from_str(data)
        .into_iter()
        .next()
        .unwrap()
        .unwrap();
    assert_eq!(moves.as_array().unwrap().len(), 5);
}

/// An output never replaces the input or another output, which is checked before the work.
#[test]
fn no_output_replaces_the_input() {
    let folder = Folder::new("apart");
    let record = "(;SZ[5]KM[7];B[bb];W[cc];B[];W[])";
    std::fs::write(folder.join("a.sgf"), record).unwrap();
    let run = |arguments: &[&str]| {
        let out = run_in(&folder, arguments);
        assert_eq!(text(&out.stdout), "", "{arguments:?}");
        assert_eq!(out.status.code(), Some(2), "{arguments:?}");
        text(&out.stderr)
    };
    for arguments in [
        &["analyze", "a.sgf", "--out", "./a.sgf"][..],
        &["analyze", "a.sgf", "--html", "a.sgf"],
        &["analyze", "a.sgf", "--html", "a-analyzed.sgf"],
        &["score", "a.sgf", "--svg", "a.sgf"],
        &["score", "a.sgf", "--svg", "x", "--marked", "./x"],
    ] {
        assert!(run(arguments).contains("would be written over"));
    }
    assert!(run(&["score", "a.sgf", "--html", "no/x.html"]).contains("there is no folder no"));
    let left: Vec<_> = std::fs::read_dir(folder.join(".")).unwrap().collect();
    assert_eq!(left.len(), 1);
    assert_eq!(
        std::fs::read_to_string(folder.join("a.sgf")).unwrap(),
        record
    );
    // Games of an earlier match are kept.
    std::fs::create_dir(folder.join("games")).unwrap();
    std::fs::write(folder.join("games/0002.sgf"), record).unwrap();
    let games = [
        "match", "--a", "x", "--b", "y", "--games", "2", "--sgf", "games",
    ];
    assert!(run(&games).contains("games/0002.sgf is there already"));
}

/// A folder of results holds no file that an earlier run did not write there.
#[test]
fn results_never_replace_other_files() {
    let folder = Folder::new("results");
    let record = "(;SZ[5]KM[7];B[bb]TR[aa];W[cc])";
    for name in ["a.sgf", "b.sgf"] {
        std::fs::write(folder.join(name), record).unwrap();
    }
    std::fs::create_dir(folder.join("other")).unwrap();
    std::fs::write(folder.join("other/a.sgf"), record).unwrap();
    std::fs::create_dir(folder.join("table")).unwrap();
    std::fs::write(folder.join("table/moves.csv"), record).unwrap();
    let run = |records: &[&str], out: &str| {
        let limits = ["--visits", "1", "--net", "off", "--out", out];
        run_in(&folder, &[&["analyze"], records, &limits].concat())
    };
    for (records, out, why) in [
        (&["a.sgf", "b.sgf"][..], ".", "would lie next to a.sgf"),
        (&["a.sgf"], ".", "would lie next to a.sgf"),
        (&["b.sgf", "a.sgf"], "other", "would be written over"),
        (&["a.sgf"], "other", "would be written over"),
        (&["a.sgf"], "table", "moves.csv would be written over"),
    ] {
        let done = run(records, out);
        assert_eq!(done.status.code(), Some(2), "{records:?} {out}");
        assert!(text(&done.stderr).contains(why), "{done:?}");
    }
    for name in ["a.sgf", "b.sgf", "other/a.sgf", "table/moves.csv"] {
        let left = std::fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(left, record, "{name}");
    }
    assert_eq!(std::fs::read_dir(folder.join("other")).unwrap().count(), 1);
    // Results of an earlier run are continued.
    for known in ["0 known", "2 known"] {
        let done = run(&["a.sgf", "b.sgf"], "new");
        assert!(text(&done.stdout).contains(known), "{done:?}");
    }
}

/// Every command that reads a record decompresses it, and results are named without `.gz`.
#[test]
fn compressed_records_are_read_everywhere() {
    let folder = Folder::new("gzip");
    let file = std::fs::File::create(folder.join("a.sgf.gz")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::default());
    std::io::Write::write_all(&mut packed, b"(;SZ[5]KM[7];B[cc];W[])").unwrap();
    packed.finish().unwrap();
    for (arguments, shown) in [
        (&["score", "a.sgf.gz", "--net", "off"][..], "3 . . X . ."),
        (
            &["analyze", "a.sgf.gz", "--visits", "1", "--net", "off"],
            "Written to a-analyzed.sgf",
        ),
    ] {
        let done = run_in(&folder, arguments);
        assert!(text(&done.stdout).contains(shown), "{done:?}");
    }
}

/// `--rules` replaces the rules of the record for illegal moves, too. A collection's first game is
/// scored, and the others are mentioned.
#[test]
fn what_is_odd_in_a_record_is_said_by_the_rules_in_force() {
    let folder = Folder::new("odd");
    let suicide = "(;GM[1]SZ[5]KM[7]RU[NZ];B[ba];W[ee];B[bb];W[de];B[ac];W[aa];B[ed];W[ab];B[dd])";
    let no_player = suicide.replacen("(;", "(;PL[x]", 1);
    std::fs::write(folder.join("b.sgf"), no_player).unwrap();
    let out = run_in(&folder, &["score", "b.sgf", "--net", "off"]);
    let unknown = "ponnuki: b.sgf: PL[x] is not understood and ignored\n";
    assert_eq!(text(&out.stderr), unknown);
    std::fs::write(folder.join("a.sgf"), format!("{suicide}(;SZ[5])")).unwrap();
    let said = |rules: &[&str]| {
        let arguments = [&["score", "a.sgf", "--net", "off"], rules].concat();
        text(&run_in(&folder, &arguments).stderr)
    };
    assert_eq!(said(&[]), "ponnuki: a.sgf: the first of 2 games\n");
    let chinese = said(&["--rules", "chinese"]);
    assert!(
        chinese
            .contains("White A4, is played although illegal: suicide of 2 stones (Chinese rules"),
        "{chinese}"
    );
}

/// The last pass of a game in which nothing is left to gain is no mistake, and the last position is
/// that of the count.
#[test]
fn the_pass_that_ends_a_settled_game_loses_nothing() {
    let folder = Folder::new("settled");
    let black = ["ca", "cb", "cc", "cd", "ce", "aa", "cf", "cg"];
    let white = ["da", "db", "dc", "dd", "de", "ga", "df", "dg"];
    let moves = black.iter().zip(white);
    let moves: String = moves.map(|(b, w)| format!(";B[{b}];W[{w}]")).collect();
    let file = folder.write(
        "game.sgf",
        format!("(;SZ[7]KM[0]RU[Chinese]{moves};B[];W[])"),
    );
    for visits in ["3", "30"] {
        let out = ponnuki(&["analyze", &file, "--visits", visits, "--threads", "1"]);
        assert!(out.status.success(), "{}", text(&out.stderr));
        let annotated = std::fs::read_to_string(folder.join("game-analyzed.sgf")).unwrap();
        let said = "W+7.0, as counted; White's pass lost 0.0 points, 0.0 percentage points]";
        let (before, after) = annotated
            .split_once(said)
            .unwrap_or_else(|| panic!("{annotated}"));
        assert!(before.ends_with("V[-7.00]C[Black 0.0 %, "), "{annotated}");
        assert!(
            !after.starts_with("BM") && !after.starts_with("DO"),
            "{annotated}"
        );
    }
}

#[test]
fn shards_share_the_work() {
    let folder = Folder::new("shards");
    let games = records(&folder);
    let mut names = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let out = shell(&format!(
            "analyze {games:?} --visits 2 --shard {shard} --out {:?}",
            folder.join("out")
        ));
        assert!(out.status.success(), "{}", text(&out.stderr));
        let table = format!("moves-{}.csv", shard.replace('/', "-of-"));
        let rows = std::fs::read_to_string(folder.join("out").join(table)).unwrap();
        let of_game = rows.lines().filter(|r| r.contains(",1,B,"));
        names.extend(of_game.map(|r| r.split(",1,B,").next().unwrap().to_owned()));
    }
    names.sort();
    assert_eq!(names.len(), 9);
    names.dedup();
    assert_eq!(names.len(), 9);
}

#[test]
fn an_unfinished_record_gets_an_estimate() {
    let folder = Folder::new("unfinished");
    let file = folder.join("game.sgf");
    let score = |record: &str| {
        std::fs::write(&file, record).unwrap();
        text(&ponnuki(&["score", file.to_str().unwrap()]).stdout)
    };
    let moves = "KM[7]RU[Japanese];B[ee];W[cc];B[gc];W[cg];B[gg]";
    let resigned = score(&format!("(;SZ[9]RE[B+R]{moves})"));
    for words in ["ends with a resignation.", "Estimate ", "Recorded B+R"] {
        assert!(resigned.contains(words), "{words}: {resigned}");
    }
    assert!(!resigned.contains("seki") && !resigned.contains("Result"));
    assert!(score(&format!("(;SZ[9]{moves})")).contains("before both players passed"));
    assert!(score(&format!("(;SZ[9]RE[W+T]{moves})")).contains("a clock ran out"));
    // A result, or two passes, ends a game.
    assert!(score(&format!("(;SZ[9]RE[B+3]{moves})")).contains("Result "));
    assert!(score(&format!("(;SZ[9]{moves};W[];B[])")).contains("Result "));
}

/// Its page, picture and record claim no result, and name the rules in force.
#[test]
fn an_unfinished_record_is_shown_without_a_winner() {
    let folder = Folder::new("unfinished-page");
    let [file, page, picture, marked] =
        ["game.sgf", "page.html", "board.svg", "marked.sgf"].map(|name| folder.file(name));
    let score = |record: &str, rules: &[&str]| {
        std::fs::write(&file, record).unwrap();
        let shown = ["--html", &page, "--svg", &picture, "--marked", &marked];
        let out = ponnuki(&[&["score", &file][..], rules, &shown].concat());
        assert!(out.status.success(), "{}", text(&out.stderr));
        [&page, &picture, &marked].map(|path| std::fs::read_to_string(path).unwrap())
    };
    let moves = "KM[7]RU[Japanese]PB[Ann]PW[Bob];B[ee];W[cc];B[gc];W[cg];B[gg]";
    let record = format!("(;SZ[9]RE[B+R]{moves})");
    let [page, picture, marked] = score(&record, &[]);
    for words in [
        "<h1>Black won by resignation</h1>",
        "The record ends with a resignation.",
        "Estimate ",
        "Japanese rules",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains(" wins by ") && picture.contains("Ann – Bob: Black won by resignation"));
    assert!(marked.contains("PB[Ann]") && marked.contains("RE[B+R]"));
    let [page, ..] = score(&record.replace("RE[B+R]", ""), &[]);
    assert!(page.contains("<h1>Unfinished</h1>") && !page.contains("<h2>Count</h2>"));
    let [page, ..] = score(&record, &["--rules", "aga"]);
    assert!(
        page.contains("AGA rules") && !page.contains("Japanese"),
        "{page}"
    );
    // A text that names no rules is not repeated, nor is "rules" doubled.
    for (text, named) in [("Foo", "NZ rules"), ("Japanese rules", "Japanese rules ·")] {
        let record = format!("(;SZ[9]RU[{text}]KM[0];B[ee];W[ec];B[gc];W[gg];B[];W[])");
        let [page, ..] = score(&record, &[]);
        assert!(
            page.contains(named) && !page.contains("Foo"),
            "{text}: {page}"
        );
        assert!(!page.contains("nfinished") && page.contains("<h2>Count</h2>"));
    }
}

/// The help of a command lists the options that it uses; it refuses the others.
#[test]
fn help_lists_what_a_command_uses() {
    let all = common::documents::options();
    let names: Vec<&str> = all
        .lines()
        .filter_map(|row| row.strip_prefix("| `--"))
        .map(|row| row.split(['`', ' ']).next().unwrap())
        .collect();
    assert!(names.len() > 20, "{names:?}");
    for (command, used) in [
        (&["match", "--a", "x", "--b", "y"][..], 5),
        (&["score", "x.sgf"], 2),
        (&["analyze", "x.sgf"], 11),
        (&["analysis"], 16),
        (&["bench"], 2),
        (&["rules"], 0),
        (&["gtp"], names.len()),
    ] {
        let help = text(&ponnuki(&[command[0], "--help"]).stdout);
        let listed = |name: &&&str| {
            help.contains(&format!("--{name} ")) || help.contains(&format!("--{name}["))
        };
        assert_eq!(names.iter().filter(listed).count(), used, "{help}");
        for name in names.iter().filter(|name| !listed(name)) {
            let given = match *name {
                "param" => "--param=visits=3".to_owned(),
                "komi" | "size" | "threads" | "playouts" | "visits" | "time" | "lag" | "memory"
                | "net-cache" | "seed" | "resign-below" | "resign-moves" | "resign-after"
                | "level" | "analysis-threads" | "variation" => format!("--{name}=3"),
                "perspective" => "--perspective=BLACK".to_owned(),
                "override-config" => "--override-config=maxVisits=3".to_owned(),
                "rules" => "--rules=uk".to_owned(),
                // Options are refused even if the file does not exist.
                "config" | "katago-config" | "log" => format!("--{name}=no-such-file"),
                "net" => continue, // looked at before anything else
                _ => format!("--{name}"),
            };
            // Before the command and after it.
            let after = [command, &[&given]].concat();
            let before = [&[given.as_str()], command].concat();
            for arguments in [after, before] {
                let out = ponnuki(&arguments);
                let refused = format!("{} does not use --{name}", command[0]);
                assert_eq!(out.status.code(), Some(2), "{arguments:?}");
                let said = text(&out.stderr);
                assert!(said.contains(&refused), "{arguments:?}: {said}");
            }
        }
    }
}

/// Is there a Python for a test's engine? If not, the test is skipped by name.
fn python(test: &str) -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok();
    if !found {
        assert!(
            std::env::var_os("PONNUKI_CI").is_none(),
            "python3 is missing"
        );
        eprintln!("skipped: {test} needs python3");
    }
    found
}

fn good() -> String {
    format!(
        "'{}' --playouts 20 --threads 1 --net off",
        env!("CARGO_BIN_EXE_ponnuki")
    )
}

/// Memory in use by a process, in KiB; `None` if the system does not report it.
fn resident(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn an_engine_that_floods_its_output_loses_the_game_and_takes_no_memory() {
    if !python("an_engine_that_floods_its_output_loses_the_game_and_takes_no_memory") {
        return;
    }
    for (flood, expected) in [
        ("sys.stdout.write('x'*65536)", "the output is too long"),
        (
            "sys.stdout.write('= info\\n'*9999)",
            "the output is too long",
        ),
        ("sys.stdout.write('\\n'*65536)", "the output is too long"),
        ("sys.stdout.write('= A1\\n\\n'*9999)", "illegal move A1"),
    ] {
        let program = format!(
            "import sys\nfor l in sys.stdin:\n c=l.split()\n if c[0]=='genmove':\n  \
             while True: {flood}\n r={{'known_command':'false'}}.get(c[0],'')\n \
             print('= '+r+'\\n',flush=True)\n if c[0]=='quit': break\n"
        );
        let bad = format!("python3 -c \"{program}\"");
        let mut child = Command::new(env!("CARGO_BIN_EXE_ponnuki"))
            .args(["match", "--a", &good(), "--b", &bad, "--games", "2"])
            .args(["--size", "5", "--hang", "20", "--openings", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut most = 0;
        while child.try_wait().unwrap().is_none() {
            most = most.max(resident(child.id()).unwrap_or(0));
            std::thread::sleep(Duration::from_millis(20));
        }
        let out = child.wait_with_output().unwrap();
        let said = text(&out.stdout);
        assert!(said.starts_with("A 2 wins, 0 losses"), "{flood}: {said}");
        assert!(said.contains(expected), "{flood}: {said}");
        assert!(most < 256 << 10, "{flood}: {most} KiB");
    }
}

#[test]
fn an_opponents_escape_codes_do_not_reach_the_terminal() {
    if !python("an_opponents_escape_codes_do_not_reach_the_terminal") {
        return;
    }
    for answer in ["= \\x1b[31mred\\x07\\n", "? \\x1b]0;title\\x07 no\\n"] {
        let program = format!(
            "import sys\nfor l in sys.stdin:\n c=l.split()\n \
             r='= '+{{'known_command':'false'}}.get(c[0],'')+'\\n'\n \
             print('{answer}' if c[0]=='genmove' else r,flush=True)\n \
             if c[0]=='quit': break\n"
        );
        let bad = format!("python3 -c \"{program}\"");
        let arguments = ["match", "--a", &good(), "--b", &bad, "--games", "1"];
        let out = ponnuki(&[&arguments[..], &["--size", "5", "--openings", "0"]].concat());
        let said = text(&out.stdout) + &text(&out.stderr);
        assert!(said.contains("Faults 1"), "{said}");
        let control = |c: char| c.is_control() && c != '\n';
        assert!(!said.contains(control), "{said:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_match_prints_its_score() {
    let child = Command::new(env!("CARGO_BIN_EXE_ponnuki"))
        .args(["match", "--a", &good(), "--b", &good(), "--games", "100000"])
        .args(["--size", "5"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status().unwrap();
    assert!(sent.success());
    let out = child.wait_with_output().unwrap();
    let said = text(&out.stdout);
    assert_eq!(out.status.code(), Some(130), "{said}");
    assert!(
        said.starts_with("A ") && said.contains("Faults 0; "),
        "{said}"
    );
    assert!(!said.contains("of 100000 games"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_named_without_a_panic() {
    let full = || Stdio::from(std::fs::File::create("/dev/full").unwrap());
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["match", "--help"],
        &["rules"],
        &["bench", "--net", "off", "--threads", "1"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ponnuki"));
        let out = command.args(arguments).stdout(full()).output().unwrap();
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("No space left"), "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
        // Even if the error cannot be printed.
        let mut command = Command::new(env!("CARGO_BIN_EXE_ponnuki"));
        let status = command
            .args(arguments)
            .stdout(full())
            .stderr(full())
            .status();
        assert_eq!(status.unwrap().code(), Some(2), "{arguments:?}");
    }
    let told = |arguments: &[&str], input: &[u8], stdout: Stdio| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ponnuki"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(stdout)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut pipe, input).unwrap();
        drop(pipe);
        child.wait_with_output().unwrap()
    };
    // A failing log does not end a game.
    let logged = ["--net", "off", "--log", "/dev/full"];
    let out = told(&logged, b"name\nquit\n", Stdio::piped());
    assert!(out.status.success());
    assert_eq!(text(&out.stdout), "= Ponnuki\n\n= \n\n");
    let said = text(&out.stderr);
    assert!(said.contains("the log: No space left") && said.lines().count() == 1);
    // The protocol ends with a message.
    let out = told(&["--net", "off"], b"name\n", full());
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("No space left"));
}

/// Every file argument refuses a device without end, and a pipe without a writer.
#[cfg(target_os = "linux")]
#[test]
fn endless_files_are_refused_at_once() {
    let folder = Folder::new("endless");
    let pipe = folder.join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let pipe = pipe.to_str().unwrap();
    let regular = "not a regular file";
    let cases: [(&[&str], &str, &str); 9] = [
        (&["analyze"], pipe, regular),
        (&["score"], pipe, regular),
        (&["--net"], pipe, regular),
        (&["selfplay", "--records"], pipe, regular),
        (&["selfplay", "--out"], pipe, regular),
        (&["label", "--out", pipe, "--games"], pipe, regular),
        (&["label", "--out", pipe, "--games"], "/dev/zero", regular),
        // These two may come through a pipe, which ends.
        (&["--config"], "/dev/zero", "longer than 16 MiB"),
        (&["--katago-config"], "/dev/zero", "longer than 16 MiB"),
    ];
    for (flags, path, why) in cases {
        let mut arguments = [flags, &[path]].concat();
        if flags[0] == "selfplay" {
            arguments.extend(["--games", "1"]);
            if flags[1] != "--out" {
                arguments.extend(["--out", "x"]);
            }
        }
        // Reading it would wait for ever.
        let mut command = Command::new("timeout");
        command.args(["20", env!("CARGO_BIN_EXE_ponnuki")]);
        let out = command.args(&arguments).current_dir(&folder).output();
        let out = out.unwrap();
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(why), "{arguments:?}: {said}");
        assert!(said.contains(path), "{arguments:?}: {said}");
    }
}

/// A line without end is refused under its id, and the rest of it skipped. If the answers are not
/// read, further commands are not read either.
#[cfg(target_os = "linux")]
#[test]
fn input_without_end_takes_no_memory() {
    use common::process::{Process, here};
    let mut engine = Process::start(&["--threads", "1"], here());
    let pid = engine.child.id();
    engine.send("7 play ");
    for _ in 0..64 {
        engine.send(&"x".repeat(4 << 20));
    }
    engine.send("\nname\n");
    assert_eq!(
        engine.reply(),
        "?7 syntax error: the line is longer than 1 MiB"
    );
    assert_eq!(engine.reply(), "= Ponnuki");
    let long = resident(pid).unwrap();
    assert!(long < 64 << 10, "{long} KiB");
    // The answers are not read: eventually the program stops reading commands.
    let mut input = engine.take_input();
    let written = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = written.clone();
    std::thread::spawn(move || {
        let commands = "showboard\n".repeat(1000);
        while std::io::Write::write_all(&mut input, commands.as_bytes()).is_ok() {
            counted.fetch_add(commands.len(), std::sync::atomic::Ordering::Relaxed);
        }
    });
    let mut before = usize::MAX;
    let stuck = (0..60).any(|_| {
        std::thread::sleep(Duration::from_millis(500));
        let now = written.load(std::sync::atomic::Ordering::Relaxed);
        std::mem::replace(&mut before, now) == now
    });
    let flooded = resident(pid).unwrap();
    assert!(stuck && flooded < 256 << 10, "{stuck}, {flooded} KiB");
}

/// Start the program with pipes for all three streams.
fn piped(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_ponnuki"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// A reader may close the pipe early.
#[test]
fn a_closed_pipe_is_no_failure() {
    for arguments in [&["--help"][..], &["rules"], &["--net", "off"]] {
        let mut child = piped(arguments);
        drop(child.stdout.take());
        let mut input = child.stdin.take().unwrap();
        let _ = std::io::Write::write_all(&mut input, b"name\nshowboard\n");
        let out = child.wait_with_output().unwrap();
        assert_eq!(text(&out.stderr), "", "{arguments:?}");
        assert!(out.status.success(), "{arguments:?}");
    }
}

/// Standard error may be closed before the program writes to it.
#[test]
fn a_closed_standard_error_ends_nothing() {
    let folder = Folder::new("unread");
    // A move on a stone, which causes a note.
    let record = folder.write("odd.sgf", "(;FF[4]GM[1]SZ[5];B[cc];W[cc];B[dd];W[];B[])");
    let load = format!("loadsgf {record}\nname\n");
    let out = folder.join("out.sgf");
    let out = out.to_str().unwrap();
    for (arguments, input) in [
        (&["--net", "off"][..], load.as_str()),
        (&["analysis", "-override-config", "net=off,nonsense=1"], ""),
        (
            &["gtp", "-human-model", "none", "-override-config", "net=off"],
            "name\n",
        ),
        (&["score", &record, "--net", "off"], ""),
        (
            &[
                "analyze", &record, "--out", out, "--net", "off", "--visits", "2",
            ],
            "",
        ),
    ] {
        let mut child = piped(arguments);
        drop(child.stderr.take());
        let mut to = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut to, input.as_bytes()).unwrap();
        drop(to);
        let out = child.wait_with_output().unwrap();
        let said = text(&out.stdout);
        assert!(
            out.status.success(),
            "{arguments:?}: {:?} {said}",
            out.status
        );
        assert!(!said.contains("internal error"), "{arguments:?}: {said}");
    }
}

#[test]
fn files_are_written_whole_or_not_at_all() {
    use ponnuki::sgf::{expect_writable, save};
    let folder = Folder::new("whole");
    let file = folder.join("game.sgf");
    save(&file, "one").unwrap();
    save(&file, "two").unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "two");
    expect_writable(&file).unwrap();
    expect_writable(&folder.join("new")).unwrap();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    assert!(expect_writable(&folder).is_err());
    assert!(save(&folder, "x").is_err());
    assert!(expect_writable(&folder.join("none/game.sgf")).is_err());
    assert!(save(&folder.join("none/game.sgf"), "x").is_err());
    #[cfg(target_os = "linux")]
    {
        save(std::path::Path::new("/dev/null"), "x").unwrap();
        assert!(save(std::path::Path::new("/dev/full"), "x").is_err());
        // A link is followed, and remains a link.
        let link = folder.join("link.sgf");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        save(&link, "three").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "three");
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}

/// The manual page and the shell completions have every option of the help.
#[test]
fn the_manual_page_and_completions_are_those_of_the_help() {
    let page = ponnuki(&["man"]);
    assert!(page.status.success(), "{}", text(&page.stderr));
    let page = text(&page.stdout).replace('\\', "");
    assert!(page.contains(".TH ponnuki 6"), "games are in section 6");
    // The page has each command's options, only at the commands that use them.
    let part = |from: &str, to: &str| {
        let (_, rest) = page.split_once(&format!(".SH \"{from}\"")).unwrap();
        rest.split_once(&format!(".SH \"{to}\""))
            .unwrap()
            .0
            .to_owned()
    };
    let of_match = part("PONNUKI MATCH", "PONNUKI SCORE");
    assert!(of_match.contains("--sprt") && of_match.contains("--komi"));
    assert!(!of_match.contains("--level"), "{of_match}");
    let of_rules = part("PONNUKI RULES", "PONNUKI ANALYZE");
    assert!(of_rules.contains("--help") && !of_rules.contains("--level"));
    assert!(!page.contains("ponnuki-match"), "there is no such page");
    assert_eq!(page.matches(".SH OPTIONS").count(), 1);
    let all = common::documents::options();
    let names: Vec<&str> = all
        .lines()
        .filter_map(|row| row.strip_prefix("| `--"))
        .map(|row| row.split(['`', ' ']).next().unwrap())
        .collect();
    assert!(names.len() > 20);
    for shell in ["bash", "zsh", "fish"] {
        let out = ponnuki(&["completions", shell]);
        let script = text(&out.stdout);
        assert!(out.status.success(), "{}", text(&out.stderr));
        for name in &names {
            let long = if shell == "fish" {
                *name
            } else {
                &format!("--{name}")
            };
            assert!(script.contains(long), "{shell}: {name}");
        }
        for word in ["match", "analyze", "score", "egf-japanese", "SIDETOMOVE"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        if shell == "bash" {
            let of_rules = script.split("ponnuki__subcmd__rules)\n").last().unwrap();
            let opts = of_rules.lines().next().unwrap();
            assert!(
                opts.contains("opts=") && !opts.contains("--level"),
                "{opts}"
            );
        }
    }
    for name in names {
        assert!(page.contains(&format!("--{name}")), "{name}");
    }
    assert!(page.contains("standard input"), "{page}");
    assert_eq!(ponnuki(&["completions", "tcsh"]).status.code(), Some(2));
}
