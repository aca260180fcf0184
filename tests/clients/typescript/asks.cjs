// The TypeScript SDK's client is asked by opgate, declines, confirms, and offers no way to be asked.
//
// node asks.cjs SERVER [ARGS...]   with FIXTURE_LOG set; the entry lists the fixture's `remove` alone.
const assert = require("node:assert/strict");
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { ElicitRequestSchema } = require("@modelcontextprotocol/sdk/types.js");

async function main() {
  const [command, ...args] = process.argv.slice(2);
  const env = { FIXTURE_LOG: process.env.FIXTURE_LOG };
  const remove = async (capabilities, answer) => {
    const client = new Client({ name: "opgate-tests", version: "1.0.0" }, { capabilities });
    let asked = 0;
    if (answer) {
      client.setRequestHandler(ElicitRequestSchema, (request) => {
        asked += 1;
        assert.match(request.params.message, /fixture\.remove/);
        assert.match(request.params.message, /"thing"/);
        return answer;
      });
    }
    await client.connect(new StdioClientTransport({ command, args, env, stderr: "inherit" }));
    const result = await client.callTool({ name: "operation_0", arguments: { id: "thing" } });
    await client.close();
    return { asked, isError: result.isError ?? false, output: JSON.parse(result.content[0].text) };
  };

  const declined = await remove({ elicitation: {} }, { action: "decline" });
  assert.deepEqual([declined.asked, declined.output.code], [1, "confirmation-required"]);
  console.log("declined: refused");
  const confirmed = await remove({ elicitation: {} }, { action: "accept", content: { approved: true } });
  assert.deepEqual(confirmed, { asked: 1, isError: false, output: "thing" });
  console.log("confirmed: removed");
  const unable = await remove({}, null);
  assert.deepEqual([unable.asked, unable.output.code], [0, "confirmation-required"]);
  console.log("cannot be asked: refused");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
