//! Where the text goes.

/// Where the text goes: appended to a string, plain or escaped.
pub enum Sink<'a> {
    /// The text as it is.
    Plain(&'a mut String),
    /// The text as it stands inside a JSON string literal, without the quotation marks around it. For a text that is the
    /// content of a message, this saves a copy and a second pass.
    Escaped(&'a mut String),
}
