//! The clock of a game bounds all work for a move, and a game can be finished with no time left.

use ponnuki::analysis::EvaluatorChoice;
use ponnuki::player::{Decision, Engine, Settings, TimeControl};
use ponnuki::position::Position;
use ponnuki::rules::preset;
use ponnuki::types::{BoardSize, Color, Move};
use std::time::{Duration, Instant};

fn engine(side: u8, evaluator: EvaluatorChoice) -> Engine {
    Engine::new(Settings {
        size: Some(BoardSize::square(side)),
        threads: 2,
        memory: 64 << 20,
        resign_below: None,
        evaluator,
        ..Settings::default()
    })
    .unwrap()
}

const SUDDEN: TimeControl = TimeControl::Absolute(Duration::from_secs(20));

/// Play a game without thinking time, of at most `most` turns.
fn play_at_once(engine: &mut Engine, most: usize) {
    engine.clock_mut().set_control(SUDDEN);
    while !engine.position().is_over() && engine.position().turns().len() < most {
        let c = engine.position().to_move();
        engine
            .clock_mut()
            .set_left(c, Duration::from_millis(100), 0);
        engine.genmove(c);
    }
}

/// The rules of games that end with no time left, with the side of the board.
const GAMES: [(u8, &str); 4] = [
    (9, "new-zealand"),
    (9, "tromp-taylor"),
    (9, "japanese"),
    (19, "chinese"),
];

#[test]
fn sudden_death_with_nothing_left_ends_in_passes() {
    for (side, rules) in GAMES {
        let mut engine = engine(side, EvaluatorChoice::Playouts);
        engine.set_rules(preset(rules).unwrap().rules);
        play_at_once(&mut engine, 500);
        let position = engine.position();
        let turns = position.turns().len();
        assert!(position.is_over(), "{rules} {side}: {turns}");
        // The board is full except for eyes and territory: most points have an owner.
        let size = position.size().area();
        assert!(
            position.board().empty_points().len() < size * 2 / 3,
            "{rules}"
        );
    }
}

#[test]
#[ignore = "measures time"]
fn a_move_with_nothing_left_takes_a_few_milliseconds() {
    for (side, rules) in GAMES {
        let mut engine = engine(side, EvaluatorChoice::Playouts);
        engine.set_rules(preset(rules).unwrap().rules);
        let begun = Instant::now();
        play_at_once(&mut engine, 500);
        let mean = begun.elapsed() / engine.position().turns().len() as u32;
        assert!(mean < Duration::from_millis(40), "{rules} {side}: {mean:?}");
    }
}

/// Without a clock, the time per move limits the search.
#[test]
#[ignore = "measures time"]
fn a_move_comes_within_the_time_per_move() {
    for millis in [0, 0, 0, 1, 20, 200] {
        let time = Duration::from_millis(millis);
        let mut engine = engine(9, EvaluatorChoice::Playouts);
        let mut settings = engine.settings().clone();
        settings.limits.time = Some(time);
        engine.configure(settings).unwrap();
        let begun = Instant::now();
        let decision = engine.genmove(Color::Black);
        assert!(matches!(decision, Decision::Move(Move::Play(_))));
        let late = begun.elapsed().saturating_sub(time);
        assert!(late < Duration::from_secs(2), "{time:?}: {late:?} late");
    }
}

#[test]
fn a_move_at_once_captures_and_fills_no_eye() {
    let board = ponnuki::board::Board::from_diagram(
        ". X . X O . .
         X X X X O . .
         O O O O O . .
         . . . . . . .
         . . O X . . .
         . O X . X . .
         . . O X . . .",
    )
    .unwrap();
    let mut engine = engine(7, EvaluatorChoice::Playouts);
    let rules = preset("chinese").unwrap().rules;
    engine.switch_game(Position::from_board(board.clone(), Color::Black, rules));
    engine.clock_mut().set_control(SUDDEN);
    for _ in 0..20 {
        engine.clock_mut().set_left(Color::Black, Duration::ZERO, 0);
        let Decision::Move(m) = engine.search_move(Color::Black, None) else {
            panic!("it resigns");
        };
        let p = m.point().expect("there is much to play for");
        assert!(!board.around(p).is_eye(Color::Black), "{p}");
    }
}

#[test]
#[ignore = "measures time"]
fn a_pass_is_answered_in_the_time_that_is_left() {
    let mut engine = engine(19, EvaluatorChoice::Playouts);
    play_at_once(&mut engine, 240);
    let c = engine.position().to_move();
    engine.play(c, Move::Pass).unwrap();
    for left in [150, 300, 1000] {
        engine.clear_results();
        let c = engine.position().to_move();
        let left = Duration::from_millis(left);
        engine.clock_mut().set_left(c, left, 0);
        let begun = Instant::now();
        engine.search_move(c, None);
        assert!(begun.elapsed() < left, "{:?} of {left:?}", begun.elapsed());
    }
}

#[test]
#[ignore = "measures time"]
fn the_clean_up_after_a_dispute_keeps_to_the_clock() {
    let mut engine = engine(19, EvaluatorChoice::Playouts);
    engine.set_rules(preset("japanese").unwrap().rules);
    play_at_once(&mut engine, 200);
    let c = engine.position().to_move();
    engine
        .clock_mut()
        .set_left(c, Duration::from_millis(500), 0);
    let begun = Instant::now();
    engine.genmove_cleanup(c);
    assert!(
        begun.elapsed() < Duration::from_millis(500),
        "{:?}",
        begun.elapsed()
    );
    // In a period, which a move renews, it may take most of it.
    engine.clock_mut().set_control(TimeControl::ByoYomi {
        main: Duration::ZERO,
        period: Duration::from_secs(1),
        periods: 1,
    });
    for _ in 0..2 {
        let c = engine.position().to_move();
        let begun = Instant::now();
        engine.genmove_cleanup(c);
        assert!(
            begun.elapsed() < Duration::from_secs(1),
            "{:?}",
            begun.elapsed()
        );
    }
}

/// Play a move in the clean-up. Returns the time that counts on the clock, and the time used.
fn clean_up() -> (Duration, Duration) {
    let mut engine = engine(9, EvaluatorChoice::Playouts);
    play_at_once(&mut engine, 40);
    let c = engine.position().to_move();
    let left = Duration::from_secs(10);
    engine.clock_mut().set_left(c, left, 0);
    let begun = Instant::now();
    engine.genmove_cleanup(c);
    let used = begun.elapsed();
    (left - engine.clock_mut().left(c).unwrap().time, used)
}

#[test]
fn clean_up_time_counts_on_the_clock() {
    let (counted, used) = clean_up();
    assert!(
        Duration::ZERO < counted && counted <= used,
        "{counted:?} of {used:?}"
    );
}

#[test]
#[ignore = "measures time"]
fn all_of_the_clean_up_time_counts_on_the_clock() {
    let (counted, used) = clean_up();
    let lost = used - counted;
    assert!(lost < Duration::from_millis(50), "{counted:?} of {used:?}");
}

#[test]
#[ignore = "measures time"]
fn every_time_system_is_kept_with_the_network_too() {
    for control in [
        TimeControl::Absolute(Duration::from_secs(1)),
        TimeControl::Canadian {
            main: Duration::ZERO,
            period: Duration::from_secs(1),
            stones: 5,
        },
        TimeControl::Fischer {
            main: Duration::from_secs(1),
            increment: Duration::from_millis(200),
            limit: None,
            longest: None,
        },
    ] {
        let mut engine = engine(7, EvaluatorChoice::Embedded);
        engine.clock_mut().set_control(control);
        for _ in 0..30 {
            let c = engine.position().to_move();
            let left = engine.clock_mut().left(c).unwrap();
            let begun = Instant::now();
            let decision = engine.genmove(c);
            let took = begun.elapsed();
            assert!(
                took < left.time.max(Duration::from_millis(50)),
                "{control:?}: {took:?} of {left:?}"
            );
            if engine.position().is_over() || decision == Decision::Resign {
                break;
            }
        }
    }
}

/// With no time left there are only a few playouts, after which every point may look settled: that
/// is no reason to pass in the opening.
#[test]
fn a_move_at_once_is_no_pass_while_the_board_is_open() {
    let fischer = TimeControl::Fischer {
        main: Duration::from_secs(30),
        increment: Duration::from_secs(5),
        limit: Some(Duration::from_secs(60)),
        longest: None,
    };
    let byo_yomi = TimeControl::ByoYomi {
        main: Duration::ZERO,
        period: Duration::from_secs(5),
        periods: 3,
    };
    let mut engine = engine(7, EvaluatorChoice::Playouts);
    let start = engine.position().clone();
    for (control, periods) in [(fischer, 0), (byo_yomi, 3)] {
        for _ in 0..10 {
            engine.load_record(start.clone());
            engine.clock_mut().set_control(control);
            for _ in 0..12 {
                let c = engine.position().to_move();
                engine.clock_mut().set_left(c, Duration::ZERO, periods);
                let decision = engine.genmove(c);
                assert_ne!(decision, Decision::Move(Move::Pass), "{control:?}");
            }
        }
    }
}

/// A position that replaces the game starts with a full clock.
#[test]
fn a_position_that_is_set_up_has_a_clock_of_its_own() {
    let mut engine = engine(5, EvaluatorChoice::Playouts);
    let start = engine.position().clone();
    let full = |engine: &mut Engine| engine.clock_mut().left(Color::Black).unwrap().time;
    let all = Duration::from_secs(20);
    engine.clock_mut().set_control(SUDDEN);
    for replace in [
        &(|e: &mut Engine| e.load_record(start.clone())) as &dyn Fn(&mut Engine),
        &|e: &mut Engine| e.set_up(start.board().clone(), Color::Black),
    ] {
        let clock = engine.clock_mut();
        clock.set_left(Color::Black, Duration::ZERO, 0);
        assert!(full(&mut engine).is_zero());
        replace(&mut engine);
        assert_eq!(full(&mut engine), all);
    }
}
