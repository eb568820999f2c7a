//! The parameters of the searches. Each policy has a table of its parameters, from which the
//! struct, its defaults and the list for tuning and `kata-set-param` are generated.

use super::parameter::ParamInfo;
use super::puct::PuctParams;
use super::rave::RaveParams;

/// Parameters of both searches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchParams {
    /// Parameters of the search with playouts.
    pub rave: RaveParams,
    /// Parameters of the search with a network.
    pub puct: PuctParams,
}

impl SearchParams {
    /// Every parameter.
    pub fn list() -> impl Iterator<Item = &'static ParamInfo> {
        PuctParams::LIST.iter().chain(RaveParams::LIST)
    }

    /// The value of a parameter, by name.
    pub fn get(&self, name: &str) -> Option<String> {
        self.rave.get(name).or_else(|| self.puct.get(name))
    }

    /// Set a parameter by name. Returns false if there is no such parameter, or the text is not a
    /// number of its type within its range.
    pub fn set(&mut self, name: &str, text: &str) -> bool {
        self.rave.set(name, text) || self.puct.set(name, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_is_got_and_set_by_name() {
        let mut p = SearchParams::default();
        for info in SearchParams::list() {
            let default = p.get(info.name).unwrap();
            let (least, most) = info.range;
            let number: f32 = default.parse().unwrap();
            assert!((least..=most).contains(&number), "{}", info.name);
            assert!(p.set(info.name, &most.to_string()));
            assert_eq!(p.get(info.name), Some(most.to_string()));
            assert!(!p.set(info.name, &(most + 1.0).to_string()));
            assert!(!p.set(info.name, "NaN"));
        }
        assert!(!p.set("no_such_thing", "1"));
        assert!(!p.set("expand_visits", "1.5"), "visits are whole");
    }
}
