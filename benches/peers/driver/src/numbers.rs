//! What is made of many measurements, and how a number is written.

/// The value that a share of `p` of all values does not exceed; of none, not a number.
pub(crate) fn quantile(values: &[f64], p: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        count => sorted[((count - 1) as f64 * p).round() as usize],
    }
}

pub(crate) fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// About three digits, or more where there are more before the point.
pub(crate) fn three_digits(x: f64) -> String {
    match x.abs() {
        v if v.is_nan() => "-".into(),
        v if v >= 99.95 => format!("{x:.0}"),
        v if v >= 9.995 => format!("{x:.1}"),
        v if v >= 0.0995 => format!("{x:.2}"),
        _ => format!("{x:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_one_of_the_values() {
        let values: Vec<f64> = (1..=101).rev().map(f64::from).collect();
        assert_eq!([0.0, 0.5, 0.99, 1.0].map(|p| quantile(&values, p)), [1.0, 51.0, 100.0, 101.0]);
        assert_eq!(median(&[3.0]), 3.0);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!(
            [0.034, 0.99, 9.994, 9.996, 99.94, 99.96, 12345.6].map(three_digits),
            ["0.034", "0.99", "9.99", "10.0", "99.9", "100", "12346"]
        );
        assert_eq!(three_digits(f64::NAN), "-");
    }
}
