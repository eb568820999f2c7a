//! Parameters by KataGo's names or Ponnuki's.

use super::keys::{Meaning, find, number, truth};
use crate::configuration::{Configuration, Parameter, ParameterError, Scope};

/// The result of setting a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// The value was set.
    Done,
    /// KataGo's key has no effect here, with the reason.
    NoEffect(&'static str),
    /// There is no such key.
    Unknown,
}

/// The value of a parameter, by its own name or KataGo's.
///
/// # Errors
/// If there is no such parameter.
pub fn get(c: &Configuration, name: &str) -> Result<String, ParameterError> {
    let own = c.get(own_name(name));
    own.or_else(|e| get_by_meaning(c, name).ok_or_else(|| with_reason(name, e)))
}

/// Set a parameter, by its own name or KataGo's.
///
/// # Errors
/// If there is no such parameter, or the value is invalid; nothing has changed then.
pub fn set(c: &mut Configuration, name: &str, text: &str) -> Result<(), ParameterError> {
    match c.set(own_name(name), text) {
        Err(e @ ParameterError::Unknown { .. }) => {
            set_by_meaning(c, name, text).unwrap_or_else(|| Err(with_reason(name, e)))
        }
        done => done,
    }
}

/// Set a parameter while the program runs.
///
/// # Errors
/// [`ParameterError`]; [`ParameterError::TooLate`] for parameters that are set when the
/// program starts.
pub fn change(c: &mut Configuration, name: &str, text: &str) -> Result<(), ParameterError> {
    match Parameter::named(own_name(name)) {
        Some(p) if p.scope == Scope::Start => Err(ParameterError::TooLate(p.name)),
        _ => {
            let mut changed = c.clone();
            set(&mut changed, name, text)?;
            // KataGo's keys for single rules change the rules too.
            if changed.engine.rules != c.engine.rules {
                return Err(ParameterError::TooLate("rules"));
            }
            *c = changed;
            Ok(())
        }
    }
}

/// Set a key of KataGo's configuration, or one of Ponnuki's parameters.
///
/// # Errors
/// [`ParameterError::Value`] if the value is invalid; nothing has changed then.
pub fn apply_key(c: &mut Configuration, key: &str, text: &str) -> Result<Applied, ParameterError> {
    let text = text.trim();
    // KataGo's meaning comes first, since it limits `numSearchThreads` and `maxTime`.
    match set_by_meaning(c, key, text).unwrap_or_else(|| set(c, key, text)) {
        Ok(()) => Ok(Applied::Done),
        Err(ParameterError::NoEffect(_, why)) => Ok(Applied::NoEffect(why)),
        Err(ParameterError::Unknown { .. }) => Ok(Applied::Unknown),
        Err(e) => Err(e),
    }
}

/// Set a KataGo key by its meaning; `None` if it has none here.
fn set_by_meaning(
    c: &mut Configuration,
    key: &str,
    text: &str,
) -> Option<Result<(), ParameterError>> {
    Some(match find(key)? {
        Meaning::Nothing(_) => return None,
        Meaning::Is(own) => c.set(own, text),
        Meaning::Sets(_, set, _) => {
            let mut changed = c.clone();
            set(&mut changed, text).map(|()| *c = changed)
        }
        Meaning::Rule(key) => {
            let set = c.engine.rules.set(key, text);
            set.map_err(|e| ParameterError::Value(e.to_string()))
        }
        Meaning::Always(value, why) => number(text).and_then(|n| match n == value {
            true => Ok(()),
            false => Err(ParameterError::NoEffect(key.to_owned(), why)),
        }),
        Meaning::Switch(own, value) => truth(text).and_then(|yes| {
            let off = c.get(own)? == value;
            match (yes, off) {
                (false, _) => c.set(own, value),
                // The switch was off: restore the default.
                (true, true) => c.set(own, &Configuration::default().get(own)?),
                (true, false) => Ok(()),
            }
        }),
    })
}

/// The current value of a KataGo key; `None` if it is unknown or has no effect.
fn get_by_meaning(c: &Configuration, key: &str) -> Option<String> {
    match find(key)? {
        Meaning::Nothing(_) => None,
        Meaning::Is(own) => c.get(own).ok(),
        Meaning::Sets(_, _, get) => Some(get(c)),
        Meaning::Rule(key) => c.engine.rules.get(key),
        Meaning::Switch(own, value) => Some((c.get(own).ok()? != value).to_string()),
        Meaning::Always(value, _) => Some(value.to_string()),
    }
}

/// Sort named settings into the order in which to apply them. A whole ruleset comes before
/// single rules. Switches come last; of several settings of a switch only the last is kept.
pub fn in_order<T>(settings: impl IntoIterator<Item = T>, key: impl Fn(&T) -> &str) -> Vec<T> {
    let is_a_ruleset = |s: &T| key(s) == "rules";
    let (rulesets, settings): (Vec<T>, Vec<T>) = settings.into_iter().partition(is_a_ruleset);
    let settings = rulesets.into_iter().chain(settings);
    let is_a_switch = |s: &T| matches!(find(key(s)), Some(Meaning::Switch(..)));
    let (switches, mut ordered): (Vec<T>, Vec<T>) = settings.partition(is_a_switch);
    let others = ordered.len();
    for switch in switches {
        let earlier = |s: &T| key(s) == key(&switch);
        if let Some(at) = ordered[others..].iter().position(earlier) {
            ordered.remove(others + at);
        }
        ordered.push(switch);
    }
    ordered
}

/// Ponnuki's name for a parameter that may have KataGo's name.
pub fn own_name(name: &str) -> &str {
    match (name, find(name)) {
        (_, Some(Meaning::Is(own))) => own,
        // Only `apply_key` limits the values of these two.
        ("numSearchThreads", _) => "threads",
        ("maxTime", _) => "time",
        _ => name,
    }
}

/// Replace the error for an unknown name by the reason why KataGo's key has no effect.
fn with_reason(name: &str, e: ParameterError) -> ParameterError {
    match find(name) {
        Some(Meaning::Nothing(why)) => ParameterError::NoEffect(name.to_owned(), why),
        _ => e,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::katago::keys::{KEYS, Key};
    use std::time::Duration;

    #[test]
    fn keys_take_effect_under_our_names() {
        let mut s = Configuration::default();
        for (key, value) in [
            ("maxVisits", "321"),
            ("maxTime", "1e20"),
            ("resignThreshold", "-0.90"),
            ("lagBuffer", "0.25"),
            ("numSearchThreads", "1"),
            ("rules", "japanese"),
            ("multiStoneSuicideLegal", "true"),
            ("reportAnalysisWinratesAs", "BLACK"),
            ("ignorePreRootHistory", "true"),
            ("cpuctExploration", "1.5"),
            ("useGraphSearch", "false"),
            ("useUncertainty", "false"),
            ("subtreeValueBiasFactor", "0.35"),
            ("valueWeightExponent", "0.5"),
            ("analysisPVLen", "7"),
        ] {
            assert_eq!(apply_key(&mut s, key, value), Ok(Applied::Done), "{key}");
        }
        assert_eq!(s.engine.limits.visits, Some(321));
        assert_eq!(s.engine.limits.time, Some(Duration::from_secs(86_400)));
        assert!((s.engine.resign_below.unwrap() - 0.05).abs() < 1e-6);
        assert_eq!(s.engine.lag, Duration::from_millis(250));
        assert_eq!(s.engine.threads, 1);
        assert_eq!(s.engine.rules.komi.points(), 6.5);
        assert_eq!(
            s.engine.rules.suicide,
            crate::rules::SuicideRule::SeveralStones
        );
        assert_eq!(s.front_end.perspective.to_string(), "BLACK");
        assert_eq!(s.engine.params.puct.history, 0);
        assert_eq!(s.engine.params.puct.cpuct, 1.5);
        assert_eq!(
            (s.engine.params.puct.graph, s.engine.params.puct.uncertainty),
            (0, 0.0)
        );
        assert_eq!(
            (
                s.engine.params.puct.bias_correction,
                s.engine.params.puct.value_weights
            ),
            (0.35, 0.5)
        );
        assert_eq!(s.front_end.variation, 8);
    }

    #[test]
    fn own_names_are_known_as_well() {
        let defaults = Configuration::default();
        for name in Configuration::all_names() {
            let value = get(&defaults, name).unwrap();
            let applied = apply_key(&mut Configuration::default(), name, &value);
            assert!(!matches!(applied, Ok(Applied::NoEffect(_))), "{name}");
        }
    }

    #[test]
    fn switching_on_undoes_switching_off() {
        let mut s = Configuration::default();
        for (key, own, off) in [
            ("allowResignation", "resign_below", "off"),
            ("useLcbForSelection", "lcb_deviations", "0"),
            ("useUncertainty", "uncertainty", "0"),
        ] {
            let before = get(&s, own).unwrap();
            for (value, expected) in [("true", before.as_str()), ("false", off), ("true", &before)]
            {
                assert_eq!(set(&mut s, key, value), Ok(()));
                assert_eq!(get(&s, own).as_deref(), Ok(expected), "{key} {value}");
            }
        }
        assert!(set(&mut s, "allowResignation", "perhaps").is_err());
    }

    /// LizzieYzy reads both as numbers when it starts.
    #[test]
    fn constant_parameter_can_be_read_and_set_to_its_value() {
        let mut s = Configuration::default();
        assert_eq!(get(&s, "playoutDoublingAdvantage").as_deref(), Ok("0"));
        assert_eq!(change(&mut s, "playoutDoublingAdvantage", "0.00"), Ok(()));
        let refused = change(&mut s, "playoutDoublingAdvantage", "1.5");
        assert!(matches!(refused, Err(ParameterError::NoEffect(..))));
        assert_eq!(s, Configuration::default());
        assert_eq!(get(&s, "analysisWideRootNoise").as_deref(), Ok("0"));
        assert_eq!(change(&mut s, "analysisWideRootNoise", "0.04"), Ok(()));
        assert_eq!(get(&s, "analysisWideRootNoise").as_deref(), Ok("0.04"));
        assert_eq!(s.engine.params.puct.wide_root_noise, 0.0);
    }

    #[test]
    fn settable_names_can_be_read() {
        for Key { name, meaning } in KEYS {
            let mut s = Configuration::default();
            let before = s.clone();
            if let Meaning::Nothing(_) = meaning {
                assert!(
                    get(&s, name).is_err() && change(&mut s, name, "1").is_err(),
                    "{name}"
                );
                continue;
            }
            let value = get(&s, name).unwrap();
            // Ponnuki's own `rules` applies here; an unset size or seed has no value.
            if !value.is_empty() && *name != "rules" {
                let set = change(&mut s, name, &value);
                let rules = set == Err(ParameterError::TooLate("komi"));
                assert!(set.is_ok() || rules, "{name} {value}: {set:?}");
                assert_eq!(s, before, "{name} {value}");
            }
        }
        let mut s = Configuration::default();
        for (name, value) in [
            ("resignThreshold", "-0.9"),
            ("lagBuffer", "0.25"),
            ("ignorePreRootHistory", "true"),
            ("rootNoiseEnabled", "true"),
            ("useGraphSearch", "false"),
            ("analysisPVLen", "9"),
            ("allowResignation", "false"),
            ("useLcbForSelection", "false"),
        ] {
            assert_eq!(change(&mut s, name, value), Ok(()));
            assert_eq!(get(&s, name).as_deref(), Ok(value), "{name}");
        }
    }

    /// Longer variations used to be accepted and cut.
    #[test]
    fn a_variation_is_no_longer_than_those_that_are_reported() {
        let mut s = Configuration::default();
        assert_eq!(set(&mut s, "variation", "30"), Ok(()));
        let refused = set(&mut s, "variation", "31").unwrap_err().to_string();
        assert_eq!(refused, "expected a whole number from 1 to 30, not '31'");
        // KataGo takes any length.
        assert_eq!(set(&mut s, "analysisPVLen", "100"), Ok(()));
        assert_eq!(get(&s, "analysisPVLen").as_deref(), Ok("29"));
        assert_eq!(get(&s, "variation").as_deref(), Ok("30"));
    }

    #[test]
    fn single_rules_cannot_be_changed_during_a_game() {
        let mut s = Configuration::default();
        assert_eq!(set(&mut s, "resignThreshold", "-0.9"), Ok(()));
        assert_eq!(get(&s, "resign_below").as_deref(), Ok("5"));
        let too_late = Err(ParameterError::TooLate("rules"));
        assert_eq!(change(&mut s, "koRule", "POSITIONAL"), too_late);
        assert_eq!(s.engine.rules, Configuration::default().engine.rules);
        assert_eq!(change(&mut s, "useGraphSearch", "false"), Ok(()));
        assert_eq!(s.engine.params.puct.graph, 0);
    }

    #[test]
    fn ignored_and_invalid_keys_change_nothing() {
        let mut s = Configuration::default();
        let before = format!("{s:?}");
        let effect = |s: &mut Configuration, key: &str| apply_key(s, key, "17").unwrap();
        for key in [
            "openclReTunePerBoardSize",
            "cudaDeviceToUseThread0",
            "nnMaxBatchSize",
        ] {
            assert!(matches!(effect(&mut s, key), Applied::NoEffect(_)), "{key}");
        }
        assert_eq!(effect(&mut s, "nonsense"), Applied::Unknown);
        assert!(apply_key(&mut s, "maxVisits", "many").is_err());
        assert!(apply_key(&mut s, "koRule", "HEXAGONAL").is_err());
        assert_eq!(format!("{s:?}"), before);
    }

    #[test]
    fn renamed_keys_name_existing_parameters() {
        let s = Configuration::default();
        for key in KEYS {
            if let Meaning::Is(own) = key.meaning {
                assert!(get(&s, own).is_ok(), "{own}");
            }
        }
    }

    #[test]
    fn names_are_found_in_every_spelling_and_near_ones_are_offered() {
        let mut s = Configuration::default();
        assert_eq!(set(&mut s, "resign-below", "off"), Ok(()));
        assert_eq!(get(&s, "resign_below"), Ok("off".to_owned()));
        assert_eq!(set(&mut s, "maxVisits", "100"), Ok(()));
        assert_eq!(s.engine.limits.visits, Some(100));
        assert_eq!(set(&mut s, "rootPolicyTemperature", "1.2"), Ok(()));
        assert_eq!(get(&s, "root-policy-temperature"), Ok("1.2".to_owned()));
        assert_eq!(set(&mut s, "rave_equivalent", "1000"), Ok(()));
        assert_eq!(get(&s, "rave_equivalent"), Ok("1000".to_owned()));
        let Err(ParameterError::Unknown { near, .. }) = set(&mut s, "visit", "1") else {
            panic!("known");
        };
        assert_eq!(near[0], "visits");
        let zero = set(&mut s, "threads", "0");
        assert!(matches!(zero, Err(ParameterError::Value(_))));
        let rules = change(&mut s, "rules", "japanese");
        assert_eq!(rules, Err(ParameterError::TooLate("rules")));
        assert_eq!(set(&mut s, "rules", "japanese"), Ok(()));
        assert!(set(&mut s, "expand_visits", "-1").is_err());
    }
}
