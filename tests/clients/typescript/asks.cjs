// A TypeScript client is asked by opgate, declines, confirms, and offers no way to be asked.
//
// node asks.cjs CLIENT SERVER [ARGS...]   with FIXTURE_LOG set; the entry lists the fixture's `remove` alone
// CLIENT: `sdk`, the SDK of the handshake, is asked by an elicitation; so is `legacy`, its successor; `modern` by
// `input_required`
const assert = require("node:assert/strict");

const INFO = { name: "opgate-tests", version: "1.0.0" };
const MODES = { legacy: "legacy", modern: { pin: "2026-07-28" } };

/** A client that answers so, and its way to the entry. */
function clientOf(name, capabilities, answer, server) {
  if (name === "sdk") {
    const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
    const { ElicitRequestSchema } = require("@modelcontextprotocol/sdk/types.js");
    const client = new Client(INFO, { capabilities });
    if (answer) client.setRequestHandler(ElicitRequestSchema, answer);
    return { client, transport: new StdioClientTransport(server) };
  }
  const { Client } = require("@modelcontextprotocol/client");
  const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");
  const client = new Client(INFO, { capabilities, versionNegotiation: { mode: MODES[name] } });
  if (answer) client.setRequestHandler("elicitation/create", answer);
  return { client, transport: new StdioClientTransport(server) };
}

async function main() {
  const [name, command, ...args] = process.argv.slice(2);
  const env = { FIXTURE_LOG: process.env.FIXTURE_LOG };
  const remove = async (capabilities, answer) => {
    let asked = 0;
    const answers = (request) => {
      asked += 1;
      assert.match(request.params.message, /fixture\.remove/);
      assert.match(request.params.message, /"thing"/);
      return answer;
    };
    const server = { command, args, env, stderr: "inherit" };
    const { client, transport } = clientOf(name, capabilities, answer && answers, server);
    await client.connect(transport);
    try {
      const result = await client.callTool({ name: "operation_0", arguments: { id: "thing" } });
      return { asked, isError: result.isError ?? false, output: JSON.parse(result.content[0].text) };
    } catch (error) {
      return { asked, isError: true, output: { code: error.code } };
    } finally {
      await client.close();
    }
  };

  const declined = await remove({ elicitation: {} }, { action: "decline" });
  assert.deepEqual([declined.asked, declined.output.code], [1, "confirmation-required"]);
  console.log("declined: refused");
  const confirmed = await remove({ elicitation: {} }, { action: "accept", content: { approved: true } });
  assert.deepEqual(confirmed, { asked: 1, isError: false, output: "thing" });
  console.log("confirmed: removed");
  const unable = await remove({}, null);
  assert.deepEqual([unable.asked, unable.output.code], [0, name === "modern" ? -32021 : "confirmation-required"]);
  console.log("cannot be asked: refused");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
