//! Numbers are exact, on the way in and on the way out, or they are refused.

use test_host::{Fixture, Frame, Session};

fn call(session: &mut Session, member: &str, number: &str) -> Frame {
    let arguments = format!(r#"{{"{member}":{number}}}"#);
    let params = format!(r#"{{"name":"operation_0","arguments":{arguments}}}"#);
    session.send_bytes(format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{params}}}\n"));
    session.answer_to(1)
}

#[test]
fn what_a_type_holds_comes_back_as_it_was() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["numbers"]);
    let mut session = fixture.initialized();
    for (member, number, expected) in [
        ("signed", "9223372036854775807", "9223372036854775807"),
        ("signed", "-9223372036854775808", "-9223372036854775808"),
        ("signed", "9007199254740993", "9007199254740993"),
        ("signed", "-9007199254740993", "-9007199254740993"),
        ("signed", "9007199254740993.0", "9007199254740993"),
        ("signed", "9.223372036854775807e18", "9223372036854775807"),
        ("signed", "1.0", "1"),
        ("signed", "1e3", "1000"),
        ("signed", "1500e-2", "15"),
        ("signed", "-0", "0"),
        ("signed", "-0.0", "0"),
        ("signed", "0e400", "0"),
        ("unsigned", "18446744073709551615", "18446744073709551615"),
        ("unsigned", "1.8446744073709551615e19", "18446744073709551615"),
        ("unsigned", "9223372036854775808", "9223372036854775808"),
        ("unsigned", "-0", "0"),
        ("double", "0.1", "0.1"),
        ("double", "1.5", "1.5"),
        // Zero has no sign in JSON Schema, and as an integer none in any type.
        ("double", "-0.0", "0.0"),
        ("double", "1.7976931348623157e308", "1.7976931348623157e+308"),
        ("double", "5e-324", "5e-324"),
        ("double", "3", "3.0"),
        ("any", "18446744073709551615", "18446744073709551615"),
        ("any", "-9223372036854775808", "-9223372036854775808"),
        ("any", "9007199254740993", "9007199254740993"),
        ("any", "1e3", "1000"),
        ("any", "0.1", "0.1"),
    ] {
        let answer = call(&mut session, member, number);
        assert_eq!(answer.text(), format!(r#"{{"{member}":{expected}}}"#), "{member} {number}");
    }
}

#[test]
fn what_it_does_not_hold_is_invalid_input() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["numbers"]);
    let mut session = fixture.initialized();
    for (member, number) in [
        ("signed", "9223372036854775808"),
        ("signed", "-9223372036854775809"),
        ("signed", "9007199254740993.5"),
        ("signed", "1.5"),
        ("signed", "1e400"),
        ("signed", "1e-400"),
        ("signed", "1e19"),
        ("unsigned", "18446744073709551616"),
        ("unsigned", "-1"),
        ("unsigned", "1.5"),
        ("double", "1e400"),
        ("double", "-1e400"),
        ("double", "1e-400"),
        ("any", "18446744073709551616"),
        ("any", "1e400"),
    ] {
        let answer = call(&mut session, member, number);
        let diagnostic = answer.assert_failure("invalid-input", "input", "not-started");
        assert!(!diagnostic.to_string().contains(number), "{diagnostic}");
    }
    assert_eq!(fixture.effects(), ["constructor"]);
}
