//! `svc-lab bench` measures what it says, with servers of its own.

use crate::laboratory::Laboratory;
use samples::model::Model;
use serde_json::Value;

#[test]
fn a_small_run_gives_every_figure() {
    let laboratory = Laboratory::new(&Model::start());
    std::fs::write(
        laboratory.folder().join("page.md"),
        "<!-- svc-lab bench writes from here -->\n<!-- to here -->\n",
    )
    .unwrap();
    let options = "bench --readers 2 --writers 1 --spaces 2 --processes 2 --facts 64 --seconds 1 --model-ms 5 \
        --growth 64,200 --json --svg growth.svg --write page.md";
    let output = laboratory.run(&options.split_whitespace().collect::<Vec<_>>());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    let phases = run["phases"].as_array().unwrap();
    assert_eq!(phases.len(), 4, "{run:#}");
    for phase in phases {
        assert_eq!(phase["failed"], 0, "{phase:#}");
        let [p50, p95, p99] = ["p50_ms", "p95_ms", "p99_ms"].map(|name| phase[name].as_f64().unwrap());
        assert!(0.0 < p50 && p50 <= p95 && p95 <= p99, "{phase:#}");
        assert!(phase["calls_a_second"].as_f64().unwrap() > 0.0, "{phase:#}");
    }
    // A write asks the model, and waits for it.
    let writing = phases.iter().find(|phase| phase["tool"] == "remember").unwrap();
    assert!(writing["p50_ms"].as_f64().unwrap() >= 5.0, "{writing:#}");
    assert!(run["model_calls"].as_u64() > Some(0) && run["model_prompt_bytes"].as_u64() > Some(0), "{run:#}");
    assert!(run["bytes_a_fact"].as_u64() > Some(100), "{run:#}");
    assert!(
        run["bare_commits_a_second"].as_f64() > Some(0.0) && run["bare_echoes_a_second"].as_f64() > Some(0.0)
    );
    let growth: Vec<u64> =
        run["growth"].as_array().unwrap().iter().map(|s| s["facts"].as_u64().unwrap()).collect();
    assert_eq!(growth, [64, 200]);
    let read = |name: &str| std::fs::read_to_string(laboratory.folder().join(name)).unwrap();
    assert!(read("growth.svg").contains("<polyline"));
    assert!(read("page.md").contains("`svc-lab bench --readers 2") && read("page.md").contains("p99 ms"));
}
