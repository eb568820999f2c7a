//! A parameter of a search, and the macro for a struct of parameters.

/// A parameter, for listing and setting by name.
#[derive(Clone, Copy, Debug)]
pub struct ParamInfo {
    /// Its name.
    pub name: &'static str,
    /// Heading in help texts.
    pub group: &'static str,
    /// Smallest and largest value allowed.
    pub range: (f32, f32),
    /// Must it be a whole number?
    pub is_whole: bool,
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
                is_whole: 0.5 as $type as f32 == 0.0,
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
