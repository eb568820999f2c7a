//! `ponnuki serve` as a browser uses it: over HTTP, on a free port.

mod common;

use common::process::{Process, here};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// How long a request may take in these tests.
const MOST: Duration = Duration::from_secs(300);

struct Server {
    /// Ends with the test.
    process: Process,
    port: u16,
}

/// An answer: its status, its head and its body.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        serde_json::from_str(&self.body).unwrap()
    }
}

impl Server {
    fn start(flags: &[&str]) -> Server {
        Server::thinking(&[&["--playouts", "20"], flags].concat())
    }

    /// Start a server that thinks as long as these options say.
    fn thinking(flags: &[&str]) -> Server {
        let all = [&["serve", "--port", "0", "--threads", "1"], flags].concat();
        let mut process = Process::start(&all, here());
        let line = process.line();
        let port = line
            .strip_prefix("Ponnuki is at http://127.0.0.1:")
            .and_then(|rest| rest.split_once('/'))
            .unwrap_or_else(|| panic!("{line}"));
        let port = port.0.parse().unwrap();
        Server { process, port }
    }

    /// Send these bytes, and read until the connection ends.
    fn raw(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(MOST)).unwrap();
        // The server may answer and close before it has read everything.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn send(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Answer {
        let port = self.port;
        let host = match headers.contains("Host:") {
            true => String::new(),
            false => format!("Host: 127.0.0.1:{port}\r\n"),
        };
        let length = body.len();
        let head =
            format!("{method} {path} HTTP/1.1\r\n{host}{headers}Content-Length: {length}\r\n\r\n");
        let answer = self.raw(&[head.as_bytes(), body].concat());
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok());
        Answer {
            status: status.unwrap_or_else(|| panic!("{answer}")),
            head: head.to_ascii_lowercase(),
            body: body.to_owned(),
        }
    }

    fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "", b"")
    }

    fn post(&self, path: &str, body: impl AsRef<[u8]>) -> Answer {
        self.send("POST", path, "", body.as_ref())
    }

    /// Begin a game, and return the address of its page.
    fn begin(&self, choices: &Value) -> String {
        let answer = self.post("/games", choices.to_string()).json();
        answer["address"].as_str().unwrap().to_owned()
    }

    /// Hand over a record, or ask about one, and wait until there is a page or a reason that
    /// there is none.
    fn work(&self, task: &str, record: &[u8]) -> Result<String, String> {
        self.address(task, record)
            .map(|address| self.get(&address).body)
    }

    /// The same. Returns the address of the page.
    fn address(&self, task: &str, record: &[u8]) -> Result<String, String> {
        let answer = self.post(&format!("/records/{task}"), record);
        if answer.status != 200 {
            return Err(answer.body);
        }
        let number = answer.json()["number"].as_u64().unwrap();
        loop {
            let state = self.post(&format!("/records/{number}/state"), "");
            if state.status != 200 {
                return Err(state.body);
            }
            if let Some(address) = state.json()["address"].as_str() {
                return Ok(address.to_owned());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn stones(state: &Value) -> usize {
    let stones = state["state"]["stones"].as_str().unwrap();
    stones.chars().filter(|&c| c != '0').count()
}

const RECORD: &str = "(;GM[1]FF[4]SZ[9]KM[6.5]RU[Japanese]PB[<Honinbo>]PW[Meijin]\
    ;B[ee];W[cc];B[gc];W[cg];B[gg])";

#[test]
fn a_game_is_played_to_its_end() {
    let server = Server::start(&[]);
    let choices = json!({"color": "black", "size": "9", "rules": "japanese", "level": "1"});
    let game = server.begin(&choices);
    assert_eq!(game, "/games/1");
    let act = |action: &str, text: &str| server.post(&format!("{game}/{action}"), text);
    let state = act("play", "e5").json();
    assert_eq!(state["state"]["toMove"], 2, "{state}");
    let refused = act("play", "d4");
    assert_eq!(refused.status, 400);
    assert_eq!(refused.body, "It is Ponnuki's turn.");
    let state = act("reply", "").json();
    assert_eq!(stones(&state), 2, "{state}");
    assert_eq!(state["state"]["toMove"], 1, "{state}");
    // A second request for the same move changes nothing.
    assert_eq!(act("reply", "").json()["state"], state["state"]);
    assert_eq!(
        act("play", "E5").body,
        "You cannot play there: E5 is occupied."
    );
    assert_eq!(act("play", "I5").body, "'I5' is not a move such as E5.");
    assert_eq!(act("explain", "E5").body, "The game is not over.");
    let hint = act("hint", "").json();
    assert!(hint["said"].as_str().unwrap().starts_with("Try "), "{hint}");
    assert!(!hint["line"].as_array().unwrap().is_empty(), "{hint}");
    let who = act("who", "").json();
    assert!(
        who["said"].as_str().unwrap().contains("Black wins with"),
        "{who}"
    );
    let count = act("count", "").json();
    assert!(
        count["said"].as_str().unwrap().starts_with("Dead stones: "),
        "{count}"
    );
    let page = server.get(&game);
    assert!(page.body.contains("You are Black") && page.body.contains("level 1"));
    assert!(server.get("/").body.contains("you are Black, 2 moves"));
    assert_eq!(stones(&act("undo", "").json()), 0);
    assert_eq!(
        act("undo", "").body,
        "There is no move of yours to take back."
    );
    let state = act("resign", "").json();
    assert_eq!(state["state"]["result"], "W+R: White wins by resignation.");
    assert_eq!(act("play", "A1").body, "The game is over.");
    let record = server.get("/games/1.sgf");
    assert!(
        record.head.contains("application/x-go-sgf"),
        "{}",
        record.head
    );
    assert!(
        record.body.contains("PB[Player]PW[Ponnuki]"),
        "{}",
        record.body
    );
    assert!(record.body.contains("RE[W+R]"), "{}", record.body);
}

#[test]
fn a_request_is_for_the_game_as_the_page_shows_it() {
    let server = Server::start(&[]);
    let other = Server::start(&[]);
    let game = server.begin(&json!({ "size": "7", "level": "1" }));
    let begun = server.post(&format!("{game}/reply"), "").json()["state"].clone();
    let act = |server: &Server, action: &str, text: &str, version: &Value| {
        let version = version.as_str().unwrap();
        server.post(&format!("{game}/{action}?version={version}"), text)
    };
    let played = act(&server, "play", "C3", &begun["version"]).json()["state"].clone();
    assert_ne!(played["version"], begun["version"]);
    // A page that still shows the empty board gets the present state, and plays nothing.
    let late = act(&server, "play", "D4", &begun["version"]).json();
    let why = "The game has gone on in another window. This is how it stands now.";
    assert_eq!(late["refused"], why);
    assert_eq!(late["state"], played);
    // What changes nothing keeps the version. The engine's reply is for any.
    let replied = act(&server, "reply", "", &begun["version"]).json()["state"].clone();
    assert_eq!(replied["turns"], 2);
    let asked = act(&server, "who", "", &replied["version"]).json();
    assert_eq!(asked["state"]["version"], replied["version"]);
    // Another run of the program has numbered another game alike.
    assert_eq!(other.begin(&json!({ "size": "9" })), game);
    let gone = act(&other, "play", "C3", &replied["version"]);
    assert_eq!(gone.status, 400);
    assert!(
        gone.body.starts_with("This game is no longer kept"),
        "{}",
        gone.body
    );
    assert_eq!(act(&server, "play", "C3", &json!("x")).status, 400);
}

#[test]
fn missing_games_and_records_say_so() {
    let server = Server::start(&[]);
    for (path, why) in [
        ("/games/7", "This game is no longer kept"),
        ("/games/7/play", "This game is no longer kept"),
        ("/records/7", "This record is no longer kept"),
        ("/records/7/state", "This record is no longer kept"),
        ("/games/1/sing", "There is no page /games/1/sing."),
        ("/records/1/sing", "There is no page /records/1/sing."),
        ("/elsewhere", "There is no page /elsewhere."),
    ] {
        for answer in [server.get(path), server.post(path, "")] {
            assert_eq!(answer.status, 404, "{path}");
            assert!(answer.body.contains(why), "{path}: {}", answer.body);
        }
        assert!(server.get(path).body.contains("<a href=\"/\">"), "{path}");
    }
}

/// The pages say what the command line says on standard error.
#[test]
fn what_is_odd_about_a_record_is_on_its_page() {
    let server = Server::start(&[]);
    let record = b"(;SZ[5]KM[0];B[cc];W[bc](;B[bb])(;B[dd]))(;SZ[5];B[aa])";
    for (task, more) in [
        ("review", "; left out: a variation"),
        ("score", ""),
        ("solve", ""),
    ] {
        let page = server.work(task, record).unwrap();
        let note = format!("The record: the first of 2 games{more}.");
        assert!(page.contains(&note), "{task}");
    }
    server.address("play", record).unwrap();
    let state = server.post("/records/4/state", "").json();
    assert_eq!(state["note"], "the first of 2 games");
    let page = server.work("score", b"(;SZ[5]KM[0];B[cc])").unwrap();
    assert!(!page.contains("<aside"), "nothing is odd");
}

#[test]
fn dead_stones_can_be_disputed() {
    let server = Server::start(&["--level", "1"]);
    let game = server.begin(&json!({"color": "white", "size": "5", "rules": "japanese"}));
    let act = |action: &str, text: &str| server.post(&format!("{game}/{action}"), text);
    act("reply", "").json();
    // Pass until the engine passes as well.
    let mut state = act("play", "pass").json();
    for _ in 0..60 {
        if state["state"]["result"].is_string() {
            break;
        }
        state = act("reply", "").json();
        if state["state"]["result"].is_null() {
            state = act("play", "pass").json();
        }
    }
    assert!(state["state"]["result"].is_string(), "{state}");
    assert_eq!(state["state"]["disputable"], true, "{state}");
    assert!(
        !state["state"]["marks"].as_array().unwrap().is_empty(),
        "{state}"
    );
    let size = 5;
    let on_board = state["state"]["stones"].as_str().unwrap().to_owned();
    let at = on_board.find('1').unwrap();
    let point = format!(
        "{}{}",
        char::from(b'A' + (at % size) as u8),
        size - at / size
    );
    let explained = act("explain", &point).json();
    assert!(
        explained["said"].as_str().unwrap().contains(&point),
        "{explained}"
    );
    let state = act("dispute", "").json();
    assert!(
        state["said"].as_str().unwrap().contains("goes on"),
        "{state}"
    );
    assert!(state["state"]["result"].is_null(), "{state}");
}

#[test]
fn records_are_reviewed_scored_and_solved() {
    let server = Server::start(&[]);
    let review = server.work("review?visits=5", RECORD.as_bytes()).unwrap();
    assert!(review.contains("&lt;Honinbo&gt; – Meijin"), "escaped names");
    assert!(review.contains("Costliest moves"));
    let score = server.work("score", RECORD.as_bytes()).unwrap();
    assert!(
        score.contains("the record ends before both players passed") || score.contains("Estimate")
    );
    let problem =
        "(;GM[1]SZ[9]AB[ba][bb][cb][db][eb][ea]AW[ac][bc][cc][dc][ec][fc][fb][fa][ab]PL[B])";
    let solved = server.work("solve", problem.as_bytes()).unwrap();
    assert!(
        solved.contains("Black to play") && solved.contains("Group: "),
        "{solved}"
    );
    let list = server.get("/").body;
    assert!(
        list.contains("&lt;Honinbo&gt; – Meijin, review: done"),
        "{list}"
    );
    let none = server.work("solve", b"(;SZ[9])").unwrap_err();
    assert_eq!(none, "No group is in question.");
    let unread = server.work("review", b"no record").unwrap_err();
    assert!(
        unread.starts_with("The record cannot be read: "),
        "{unread}"
    );
    let visits = server
        .work("review?visits=1000000", RECORD.as_bytes())
        .unwrap_err();
    assert_eq!(visits, "visits 1000000: expected a number from 1 to 10000");
    let long = format!("(;SZ[19]{})", ";B[];W[]".repeat(600));
    let long = server.work("review", long.as_bytes()).unwrap_err();
    assert_eq!(long, "The record has more than 1000 moves.");
    for nodes in [
        ";AB[aa];AE[aa]",
        ";AddBlack[aa];ae [aa]",
        ";A\nB[aa];PRISONERS[1:1]",
    ] {
        let set_ups = format!("(;SZ[19]{})", nodes.repeat(1001));
        let set_ups = server.work("score", set_ups.as_bytes()).unwrap_err();
        assert_eq!(set_ups, "The record sets up stones more than 2000 times.");
    }
    let no_set_ups = format!("(;SZ[19]C[{}]AB[aa])", "AB[aa\\]".repeat(2001));
    server.address("score", no_set_ups.as_bytes()).unwrap();
}

#[test]
fn a_game_from_a_record_goes_on_from_any_position() {
    let server = Server::start(&[]);
    let address = server.address("play", RECORD.as_bytes()).unwrap();
    assert_eq!(address, "/#record=1&move=5&color=white");
    let list = server.get("/").body;
    let link = "href=\"/#record=1&amp;move=5&amp;color=white\"";
    assert!(list.contains(link), "{list}");
    let choices = json!({"color": "black", "level": "1"}).to_string();
    let go_on = |query: &str| server.post(&format!("/records/1/play{query}"), &choices);
    let game = go_on("?move=2").json();
    assert_eq!(game["address"], "/games/1");
    let record = server.get("/games/1.sgf").body;
    assert!(record.contains("PB[<Honinbo>]PW[Meijin]"), "{record}");
    assert!(
        record.contains(";B[ee];W[cc]") && !record.contains("B[gc]"),
        "{record}"
    );
    let state = server.post("/games/1/play", "G7").json();
    assert_eq!(stones(&state), 3, "{state}");
    let last = go_on("").json();
    assert_eq!(last["address"], "/games/2");
    assert_eq!(stones(&server.post("/games/2/reply", "").json()), 6);
    for bad in ["6", "-1", "x", "99999999999999999999"] {
        let refused = go_on(&format!("?move={bad}"));
        assert_eq!(
            refused.body,
            format!("The record has no position after move {bad}.")
        );
    }
    assert_eq!(server.post("/records/9/play", &choices).status, 404);
    // Stones that are set up after a move belong to the position after it.
    let set_up = b"(;SZ[9];B[aa];W[ii];AB[ee];B[dd])";
    server.address("play", set_up).unwrap();
    server.post("/records/2/play?move=2", &choices).json();
    assert_eq!(stones(&server.post("/games/3/reply", "").json()), 3);
    // A page under review leads there too.
    let review = server.work("review?visits=2", RECORD.as_bytes()).unwrap();
    assert!(review.contains("\"record\":3"), "its number");
}

#[test]
fn the_engine_moves_at_once_when_asked() {
    let server = Server::thinking(&["--time", "86400"]);
    let game = server.begin(&json!({"color": "white", "size": "5"}));
    assert_eq!(server.post("/games/2/move-now", "").status, 404);
    std::thread::scope(|scope| {
        let reply = scope.spawn(|| server.post(&format!("{game}/reply"), "").json());
        while !reply.is_finished() {
            server.post(&format!("{game}/move-now"), "").json();
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(stones(&reply.join().unwrap()), 1);
    });
}

#[test]
fn another_group_or_colour_can_be_asked_about() {
    let server = Server::start(&[]);
    let problem = "(;GM[1]SZ[9]AB[da][db][ac][bc][cc]AW[ea][eb][dc][ec][ad][bd][cd])";
    let first = server.work("solve", problem.as_bytes()).unwrap();
    assert!(first.contains("Black to play"), "{first}");
    let ask = |query: &str| server.work(&format!("1/solve?{query}"), b"");
    let other = ask("color=white&group=").unwrap();
    assert!(other.contains("White to play"), "{other}");
    assert!(other.contains("Group: Black "), "{other}");
    let group = ask("color=black&group=a6").unwrap();
    assert!(group.contains("Group: White "), "{group}");
    assert_eq!(ask("group=E5").unwrap_err(), "There is no stone at E5.");
    assert_eq!(ask("group=T19").unwrap_err(), "There is no stone at T19.");
    assert_eq!(
        ask("group=I5").unwrap_err(),
        "group I5: expected a point such as D4"
    );
    assert_eq!(
        ask("color=green").unwrap_err(),
        "color green: expected black or white"
    );
    assert_eq!(server.post("/records/9/solve", "").status, 404);
}

#[test]
fn a_review_can_be_stopped_and_many_records_wait_or_are_refused() {
    let server = Server::start(&[]);
    let long = format!("(;SZ[19]{})", ";B[];W[]".repeat(400));
    let mut refused = 0;
    let mut numbers = Vec::new();
    for _ in 0..12 {
        let answer = server.post("/records/review?visits=10000", &long);
        match answer.status {
            200 => numbers.push(answer.json()["number"].as_u64().unwrap()),
            _ => {
                assert_eq!(
                    answer.body,
                    "4 records are waiting already: try again later."
                );
                refused += 1;
            }
        }
    }
    assert!(refused >= 6 && numbers.len() >= 4, "{refused} {numbers:?}");
    for number in &numbers {
        assert_eq!(
            server.post(&format!("/records/{number}/stop"), "").status,
            200
        );
    }
    for number in &numbers {
        loop {
            let state = server.post(&format!("/records/{number}/state"), "");
            if state.status == 400 {
                assert_eq!(state.body, "Stopped.");
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    // The server plays on.
    server.begin(&json!({}));
}

/// Records that were stopped while they waited leave their places to others.
#[test]
fn a_stopped_record_no_longer_waits() {
    let server = Server::start(&[]);
    let long = format!("(;SZ[19]{})", ";B[];W[]".repeat(400));
    let add = || server.post("/records/review?visits=10000", &long);
    let number = || add().json()["number"].as_u64().unwrap();
    let first = number();
    loop {
        let state = server.post(&format!("/records/{first}/state"), "");
        if state.json()["of"] != 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    for _ in 0..3 {
        let waiting = [(); 4].map(|()| number());
        assert_eq!(add().status, 400);
        for number in waiting {
            server.post(&format!("/records/{number}/stop"), "");
        }
    }
    assert_eq!(add().status, 200);
}

#[test]
fn pages_of_other_sites_are_refused() {
    let server = Server::start(&[]);
    let port = server.port;
    for host in [
        "evil.example",
        "127.0.0.1",
        "127.0.0.1:1",
        &format!("evil.example:{port}"),
    ] {
        let answer = server.send("GET", "/", &format!("Host: {host}\r\n"), b"");
        assert_eq!(answer.status, 403, "{host}");
        assert!(
            answer.body.starts_with(&format!("Host {host}: ")),
            "{}",
            answer.body
        );
    }
    for origin in [
        "null",
        "http://evil.example",
        "http://127.0.0.1:1",
        &format!("https://127.0.0.1:{port}"),
    ] {
        let answer = server.send("POST", "/games", &format!("Origin: {origin}\r\n"), b"{}");
        assert_eq!(answer.status, 403, "{origin}");
    }
    for own in ["127.0.0.1", "localhost"] {
        let headers = format!("Host: {own}:{port}\r\nOrigin: http://{own}:{port}\r\n");
        assert_eq!(
            server.send("POST", "/games", &headers, b"{}").status,
            200,
            "{own}"
        );
    }
    let page = server.get("/");
    for header in [
        "x-frame-options: deny",
        "x-content-type-options: nosniff",
        "cache-control: no-store",
    ] {
        assert!(page.head.contains(header), "{}", page.head);
    }
    // No page names an address outside.
    for page in [page, server.get("/games/1")] {
        let outside = page.body.replace("http://www.w3.org/2000/svg", "");
        assert!(!outside.contains("http:") && !outside.contains("https:"));
        assert!(page.body.contains("default-src 'none'"));
    }
}

#[test]
fn no_request_ends_the_server() {
    let server = Server::start(&[]);
    let long = vec![b'x'; (1 << 20) + 1];
    let answer = server.post("/records/review", &long);
    assert_eq!(answer.status, 413, "{}", answer.body);
    let chunked = format!(
        "POST /games HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nTransfer-Encoding: chunked\r\n\r\n200001\r\n{}",
        server.port,
        "x".repeat(0x200001)
    );
    let answer = server.raw(chunked.as_bytes());
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 413"),
        "{answer}"
    );
    for garbage in [
        &b"\0\xff\x80\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        &[b'a'; 100_000],
    ] {
        let answer = server.raw(garbage);
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 4"),
            "{answer}"
        );
    }
    for (method, path, body, status) in [
        ("DELETE", "/", "", 405),
        ("GET", "/nothing", "", 404),
        ("GET", "/games/1", "", 404),
        ("GET", "/games/99999999999999999999.sgf", "", 404),
        ("GET", "/games/../../etc/passwd", "", 404),
        ("GET", "/records/-1", "", 404),
        ("POST", "/", "", 404),
        ("POST", "/games/1/play", "E5", 404),
        ("POST", "/records/eat", "", 404),
        ("POST", "/records/1/stop", "", 404),
        ("POST", "/games", "", 400),
        ("POST", "/games", "[[[[", 400),
        ("POST", "/games", "{\"size\":\"1000\"}", 400),
        ("POST", "/games", "{\"size\":\"0\"}", 400),
        ("POST", "/games", "{\"color\":\"green\"}", 400),
        ("POST", "/games", "{\"handicap\":\"99\"}", 400),
        ("POST", "/games", "{\"handicap\":\"1\"}", 400),
        ("POST", "/games", "{\"handicap\":\"-1\"}", 400),
        ("POST", "/games", "{\"komi\":\"1e99\"}", 400),
        ("POST", "/games", "{\"rules\":\"all\"}", 400),
    ] {
        let answer = server.send(method, path, "", body.as_bytes());
        assert_eq!(
            answer.status, status,
            "{method} {path} {body}: {}",
            answer.body
        );
        assert!(!answer.body.is_empty(), "{method} {path} {body}");
    }
    let game = server.begin(&json!({"size": "2"}));
    for (action, text) in [
        ("play", "\0"),
        ("play", "Z99"),
        ("play", "A9"),
        ("explain", "A1"),
        ("eat", ""),
    ] {
        let answer = server.post(&format!("{game}/{action}"), text);
        assert!([400, 404].contains(&answer.status), "{action} {text}");
    }
    // A request that breaks off, and connections that say nothing.
    let silent: Vec<TcpStream> = (0..20)
        .map(|_| TcpStream::connect(("127.0.0.1", server.port)).unwrap())
        .collect();
    server.raw(b"POST /games HTTP/1.1\r\nHost: 127");
    drop(silent);
    assert_eq!(server.get(&game).status, 200);
}

/// Only 9x9, 13x13 and 19x19 could be chosen, and a rectangular board became a square one.
#[test]
fn the_form_starts_with_the_size_of_the_option() {
    for (flags, chosen, others) in [
        (&[][..], "\"9\" checked> 9×9<", 2),
        (&["--size", "19x19"], "\"19\" checked> 19×19<", 2),
        (&["--size", "11"], "\"11\" checked> 11×11<", 3),
        (&["--size", "9x13"], "\"9x13\" checked> 9×13<", 3),
    ] {
        let form = Server::start(flags).get("/").body;
        let field = "name=\"size\" value=";
        assert!(form.contains(&format!("{field}{chosen}")), "{form}");
        let fields = form
            .split(field)
            .skip(1)
            .filter_map(|f| f.split('>').next());
        let unchecked = fields.filter(|f| !f.contains("checked"));
        assert_eq!(unchecked.count(), others, "{form}");
    }
    let server = Server::start(&["--size", "9x13"]);
    let game = server.begin(&json!({"size": "9x13"}));
    let page = server.get(&game).body;
    assert!(page.contains("\"size\":[9,13]"), "{page}");
}

#[test]
fn the_latest_played_games_are_kept() {
    let server = Server::start(&["--size", "5"]);
    let first = server.begin(&json!({}));
    for _ in 0..20 {
        server.begin(&json!({}));
    }
    server.post(&format!("{first}/play"), "C3").json();
    for _ in 0..20 {
        server.begin(&json!({"level": "2"}));
    }
    let list = server.get("/").body;
    assert_eq!(list.matches("<li><a href=\"/games/").count(), 32);
    assert_eq!(server.get(&first).status, 200, "it was played lately");
    assert_eq!(server.get("/games/2").status, 404, "it was not");
    // Games do not mix.
    let state = server.post("/games/41/play", "A1").json();
    assert_eq!(stones(&state), 1);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it() {
    let mut server = Server::start(&[]);
    server.begin(&json!({}));
    let id = server.process.child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(sent.unwrap().success());
    assert!(server.process.wait().success());
}

#[test]
fn a_taken_port_is_named() {
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_ponnuki"))
        .args(["serve", "--net", "off", "--port", &port])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.starts_with(&format!("ponnuki: --port {port}: ")),
        "{said}"
    );
}
