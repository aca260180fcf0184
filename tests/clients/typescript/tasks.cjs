// The TypeScript SDK's client starts the Tasks entry as a host does and goes through its four tools.
//
// node tasks.cjs SERVER [ARGS...]   with TASK_DATABASE and TASK_SESSION set; no worker may be running.
const assert = require("node:assert/strict");
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");

const TITLES = ["tasks.submit", "tasks.query", "tasks.cancel", "tasks.retry"];

async function main() {
  const [command, ...args] = process.argv.slice(2);
  const env = { TASK_DATABASE: process.env.TASK_DATABASE, TASK_SESSION: process.env.TASK_SESSION };
  const client = new Client({ name: "opgate-tests", version: "1.0.0" }, { capabilities: {} });
  const transport = new StdioClientTransport({ command, args, env, stderr: "inherit" });
  const failures = [];
  client.onerror = (error) => failures.push(error);
  await client.connect(transport);
  assert.ok(client.getServerCapabilities().tools);
  console.log(`connected to ${client.getServerVersion().name}`);

  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), TITLES.map((_, index) => `operation_${index}`));
  assert.deepEqual(tools.map((tool) => tool.title), TITLES);
  for (const tool of tools) {
    assert.equal(tool.inputSchema.type, "object");
    assert.equal(Object.keys(tool.annotations).filter((key) => key.endsWith("Hint")).length, 4);
  }
  console.log(`listed ${tools.length} tools`);

  const nameOf = (title) => tools.find((tool) => tool.title === title).name;
  const call = (title, input) => client.callTool({ name: nameOf(title), arguments: input });
  const output = async (title, input) => {
    const result = await call(title, input);
    assert.ok(!result.isError, `${title}: ${JSON.stringify(result)}`);
    assert.equal(result.content.length, 1);
    assert.equal(result.content[0].type, "text");
    return JSON.parse(result.content[0].text);
  };

  const jobId = await output("tasks.submit", { reportId: "typescript", rows: [1, 2.5, -3] });
  assert.equal(typeof jobId, "string");
  console.log("submitted a report");
  const stateOf = async () => (await output("tasks.query", { jobId })).state;
  assert.equal(await stateOf(), "queued");
  console.log("queried the job");
  assert.equal(await output("tasks.cancel", { jobId }), "cancelled");
  assert.equal(await output("tasks.cancel", { jobId }), "terminal");
  assert.equal(await stateOf(), "cancelled");
  console.log("cancelled the job");
  assert.equal(await output("tasks.retry", { jobId }), false);
  console.log("retried the job: refused, as it did not fail");

  const refused = await call("tasks.submit", { reportId: "typescript", rows: [1], owner: "mallory" });
  assert.equal(refused.isError, true);
  const diagnostic = JSON.parse(refused.content[0].text);
  assert.deepEqual([diagnostic.code, diagnostic.outcome], ["invalid-input", "not-started"]);
  console.log("an unknown member is refused");
  await assert.rejects(client.callTool({ name: "operation_9", arguments: {} }), { code: -32602 });
  console.log("an unknown tool is refused");

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
