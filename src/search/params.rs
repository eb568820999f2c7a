//! The parameters of the searches. Each policy has its own struct with a row for each parameter,
//! from which the struct, its defaults and the list for tuning and `kata-set-param` are generated.

use super::puct::PuctParams;
use super::rave::RaveParams;

/// A parameter, for listing and setting by name.
#[derive(Clone, Copy, Debug)]
pub struct ParamInfo {
    /// Its name.
    pub name: &'static str,
    /// Heading in help texts.
    pub group: &'static str,
    /// Smallest and largest value allowed.
    pub range: (f32, f32),
    /// What it does, in which unit, and where it comes from.
    pub doc: &'static str,
}

macro_rules! search_params {
    (
        $(#[$about:meta])*
        $params:ident:
        $($group:literal {
            $($name:ident: $type:ty = $default:expr, $range:expr, $doc:expr;)*
        })*
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $params {
            $($(#[doc = $doc] pub $name: $type,)*)*
        }

        impl Default for $params {
            fn default() -> Self {
                $params { $($($name: $default,)*)* }
            }
        }

        impl $params {
            /// Every parameter.
            pub const LIST: &'static [$crate::search::ParamInfo] = &[$($($crate::search::ParamInfo {
                name: stringify!($name),
                group: $group,
                range: ($range.0 as f32, $range.1 as f32),
                doc: $doc,
            },)*)*];

            /// The value of a parameter, by name.
            pub fn get(&self, name: &str) -> Option<String> {
                match name {
                    $($(stringify!($name) => Some(self.$name.to_string()),)*)*
                    _ => None,
                }
            }

            /// Set a parameter by name. Returns false if there is no such parameter, or
            /// the text is not a number of its type within its range.
            pub fn set(&mut self, name: &str, text: &str) -> bool {
                match name {
                    $($(stringify!($name) => {
                        let range: ($type, $type) = $range;
                        let value = text.trim().parse::<$type>().ok();
                        let fits = value.filter(|v| (range.0..=range.1).contains(v));
                        fits.map(|v| self.$name = v).is_some()
                    })*)*
                    _ => false,
                }
            }
        }
    };
}

pub(super) use search_params;

/// Parameters of both searches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchParams {
    /// Those of the search by playouts.
    pub rave: RaveParams,
    /// Those of the search with a network.
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

    /// Set a parameter by name; false if there is none, or the text is no number of its type and
    /// range.
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
