//! Clients and a server in the test bench.

use railyard::commands::verify::generated;
use railyard_own_traffic::{ClientServer, ANSWER, REQUEST};
use railyard_spec::{CheckedConfig, Config};
use railyard_testbench::lockstep::Verify;
use railyard_testbench::simulate::{simulate, WarmUp};
use railyard_testbench::stimulus::Scenario;

fn config() -> CheckedConfig {
    let json = r#"{"name": "first", "ports": 4, "flit_bits": 32, "routing": {"kind": "source", "hops": 4}}"#;
    Config::from_json(json).expect("a legal description")
}

#[test]
fn clients_and_server_pass_in_lock_step() {
    let scenario = Scenario::own(1, ClientServer::new(4, 20));
    let verilog = generated(&config()).expect("the Verilog");
    let run = Verify::new(&config().shape(), verilog, scenario, 20_000);
    let verdict = run.run(|_| {}).expect("the run can be made");
    assert!(verdict.passed() && verdict.scoreboard, "{verdict}");
    assert!(verdict.packets_sent > 1_000, "{verdict}");
}

#[test]
fn the_server_answers_more_clients_that_pause_less() {
    let answers = |pause| {
        let scenario = Scenario::own(1, ClientServer::new(4, pause));
        let result = simulate(&config().shape(), &scenario, WarmUp::Cycles(1_000), 20_000, |_| {}).expect("no fault");
        // Requests and answers in turn.
        result.packets / 2
    };
    let (busy, idle) = (answers(0), answers(400));
    assert!(busy > 2 * idle, "{busy} {idle}");
    // The server's link carries an answer at a time.
    assert!(busy * u64::from(ANSWER) <= 20_000 && busy > 20_000 / u64::from(ANSWER + REQUEST) / 2, "{busy}");
}
