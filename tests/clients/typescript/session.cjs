// A TypeScript client starts an entry as a host does and goes through a session: list, call, a tool error, a busy answer, a
// cancellation, the end.
//
// node session.cjs CLIENT SERVER [ARGS...]   the entry lists the fixture's `echo` and `wait`, in this order
// CLIENT: `sdk`, the SDK of the handshake; `legacy`, `auto` or `modern`, its successor in each of its modes
const assert = require("node:assert/strict");

const MODES = { legacy: "legacy", auto: "auto", modern: { pin: "2026-07-28" } };

function clientOf(name) {
  const info = { name: "opgate-tests", version: "1.0.0" };
  if (name === "sdk") {
    const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
    const client = new Client(info, { capabilities: {} });
    return { client, Transport: StdioClientTransport, revision: "2025-11-25", options: (more) => [undefined, more] };
  }
  const { Client } = require("@modelcontextprotocol/client");
  const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");
  const client = new Client(info, { capabilities: {}, versionNegotiation: { mode: MODES[name] } });
  const revision = name === "legacy" ? "2025-11-25" : "2026-07-28";
  return { client, Transport: StdioClientTransport, revision, options: (more) => [more] };
}

async function main() {
  const [name, command, ...args] = process.argv.slice(2);
  const { client, Transport, revision, options } = clientOf(name);
  const transport = new Transport({ command, args, stderr: "inherit" });
  const failures = [];
  client.onerror = (error) => failures.push(error);
  await client.connect(transport);
  const negotiated = client.getNegotiatedProtocolVersion?.() ?? revision;
  assert.equal(negotiated, revision);
  console.log(`connected in ${negotiated}`);

  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.title), ["fixture.echo", "fixture.wait"]);
  console.log("listed 2 tools");
  const [echo, wait] = tools.map((tool) => tool.name);
  const call = async (name, input, more = {}) => {
    const result = await client.callTool({ name, arguments: input }, ...options(more));
    return { isError: result.isError ?? false, output: JSON.parse(result.content[0].text) };
  };
  const outcome = ({ isError, output }) => [isError, output.code, output.outcome];

  assert.deepEqual(await call(echo, { text: "hello" }), { isError: false, output: "hello" });
  console.log("called");
  assert.deepEqual(outcome(await call(echo, { text: 7 })), [true, "invalid-input", "not-started"]);
  console.log("a tool error");

  const waiting = call(wait, { ms: 500 });
  assert.deepEqual(outcome(await call(echo, { text: "busy" })), [true, "adapter-busy", "not-started"]);
  assert.deepEqual(await waiting, { isError: false, output: "waited" });
  console.log("a busy answer");

  const abort = new AbortController();
  const beats = [];
  const cancelled = call(wait, { ms: 2000 }, { signal: abort.signal, onprogress: (progress) => beats.push(progress) });
  const refused = assert.rejects(cancelled);
  for (const until = Date.now() + 10_000; beats.length === 0; ) {
    assert.ok(Date.now() < until, "no progress");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  abort.abort();
  await refused;
  // The work goes on, and keeps its place, until it is done.
  for (let again = await call(echo, { text: "free" }); again.isError; again = await call(echo, { text: "free" })) {
    assert.equal(again.output.code, "adapter-busy");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  console.log("a cancellation");

  const { pid } = transport;
  await client.close();
  assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
  assert.deepEqual(failures, []);
  console.log("closed");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
