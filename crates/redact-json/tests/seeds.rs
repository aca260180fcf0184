//! The seeds of the fuzz targets, as ordinary tests.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{fs, path::Path};

#[path = "../fuzz/checks.rs"]
mod checks;

fn each(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
    let mut count = 0;
    for seed in fs::read_dir(folder).unwrap() {
        let seed = fs::read(seed.unwrap().path()).unwrap();
        // Each way of cutting, whatever the seed says.
        for options in 0..=255 {
            let mut data = seed.clone();
            data[0] = options;
            check(&data);
        }
        count += 1;
    }
    assert!(count > 10, "the seeds of {target} are gone");
}

#[test]
fn every_seed_of_the_transcoder_keeps_the_promises() {
    each("transcode", checks::transcode);
}

#[test]
fn every_seed_of_the_stream_masker_keeps_the_promises() {
    each("masker", checks::masker);
}
