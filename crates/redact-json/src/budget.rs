//! How much text a result may have, and how deep it may nest.

/// The bounds of one result: bytes of plain canonical text after redaction, and levels of nesting.
///
/// Exactly the given number of bytes is still within the budget. The count is of the plain text, also where the sink
/// receives it escaped. No result is longer than 4 GiB, whatever the budget.
///
/// Of a text that is read, or formatted into one string, no more than 64 times as many bytes and 64 MiB are looked at,
/// whatever of it is masked or white space; more is too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub(crate) bytes: usize,
    pub(crate) depth: usize,
}

impl Budget {
    /// Levels of arrays and objects that [`Budget::bytes`] allows; the outermost one is level 1.
    pub const DEPTH: usize = 128;

    /// At most `bytes` bytes of text and [`Budget::DEPTH`] levels of nesting.
    #[must_use]
    pub const fn bytes(bytes: usize) -> Self {
        Self { bytes, depth: Self::DEPTH }
    }

    /// The same budget with another bound on nesting. With 0 only scalars fit.
    ///
    /// [`to_string`](crate::to_string) recurses as deep as the value nests, so a large bound asks for a large stack.
    #[must_use]
    pub const fn depth(self, levels: usize) -> Self {
        Self { depth: levels, ..self }
    }
}

/// Bytes of a text that are looked at for a result of this budget: much of it may be masked or white space, but somewhere
/// there must be an end.
pub(crate) const fn most_work(budget: usize) -> usize {
    budget.saturating_mul(64).saturating_add(64 << 20)
}
