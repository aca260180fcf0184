// The Inspector's command line, once for each part of a session: list, call, a tool error, a busy answer, the end. It sends
// no cancellation; a person who interrupts it closes the entry's standard input in the middle of a call.
//
// node session.cjs INSPECTOR ERA SERVER [ARGS...]   the entry lists the fixture's `echo` and `wait`, in this order
const assert = require("node:assert/strict");
const { spawn, spawnSync } = require("node:child_process");
const { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");

const [inspector, era, command, ...args] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "inspector-"));
const log = join(folder, "effects");

/** The words of one run. */
function words(more) {
  const config = join(folder, "config.json");
  const env = { FIXTURE_LOG: log };
  writeFileSync(config, JSON.stringify({ mcpServers: { opgate: { command, args, env } } }));
  const common = ["--cli", "--protocol-era", era, "--format", "json", "-q", "--config", config, "--server", "opgate"];
  return [inspector, ...common, ...more];
}

/** One run: its exit status, and the result that it printed. */
function run(more) {
  const { status, stdout, stderr } = spawnSync(process.execPath, words(more), { encoding: "utf8" });
  assert.match(stdout, /^\{"result"/, `${more.join(" ")}: ${status}: ${stdout}${stderr}`);
  return { status, result: JSON.parse(stdout).result };
}

function calling(tool, input, more = []) {
  return ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(input), ...more];
}

async function effect(name) {
  for (const until = Date.now() + 10_000; !(existsSync(log) && readFileSync(log, "utf8").split("\n").includes(name)); ) {
    assert.ok(Date.now() < until, `no effect ${name}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function main() {
  const { tools } = run(["--method", "tools/list"]).result;
  assert.deepEqual(tools.map((tool) => tool.title), ["fixture.echo", "fixture.wait"]);
  console.log("listed 2 tools");
  const [echo, wait] = tools.map((tool) => tool.name);

  const called = run(calling(echo, { text: "hello" }));
  assert.deepEqual([called.status, called.result.content[0].text], [0, '"hello"']);
  console.log("called");
  const refused = run(calling(echo, { text: 7 }));
  assert.deepEqual([refused.status, refused.result.isError], [5, true]);
  assert.equal(JSON.parse(refused.result.content[0].text).code, "invalid-input");
  console.log("a tool error");
  const two = ["--load", "--load-concurrency", "2", "--load-requests", "2"];
  const { ok, toolErrors, errors } = run(calling(wait, { ms: 500 }, two)).result;
  assert.deepEqual([ok, toolErrors, errors], [1, 1, 0]);
  console.log("a busy answer");

  rmSync(log, { force: true });
  const interrupted = spawn(process.execPath, words(calling(wait, { ms: 1000 })), { stdio: "ignore" });
  const ended = new Promise((resolve) => interrupted.on("exit", resolve));
  await effect("wait");
  interrupted.kill("SIGINT");
  await ended;
  // The work goes on until it is done, and so does its clean-up.
  await effect("waited");
  await effect("stop");
  console.log("an interruption");
  console.log("closed");
}

main()
  .catch((error) => {
    console.error(error);
    process.exitCode = 1;
  })
  .finally(() => rmSync(folder, { recursive: true }));
