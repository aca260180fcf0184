// An opgate application in 30 lines: `describe` tells the operations, otherwise one call is read and answered.
import { readFileSync, writeSync } from "node:fs";

const orders = new Map([["o-1", { id: "o-1", cents: 1250 }], ["o-2", { id: "o-2", cents: 900 }]]);
const id = { type: "object", properties: { id: { type: "string", description: "An order's id." } }, required: ["id"] };

const operations = {
  find: {
    declared: { description: "Find one order. Amounts are in cents.", effect: "read", retry: "safe", input: id },
    run: ({ id }) => orders.get(id) ?? fail("not-found", "There is no such order."),
  },
  count: {
    declared: { description: "Count the orders.", effect: "read", retry: "safe", input: { type: "object" } },
    run: () => orders.size,
  },
};

// What the caller may see. Any other error ends the program with a status, which tells the caller nothing.
const fail = (code, message) => { throw Object.assign(new Error(message), { answer: { error: { code, message } } }); };
const print = (answer) => { for (let rest = Buffer.from(JSON.stringify(answer)); rest.length;) rest = rest.subarray(writeSync(1, rest)); };

if (process.argv[2] === "describe") {
  print({ operations: Object.entries(operations).map(([method, { declared }]) => ({ method, ...declared })) });
} else {
  const { method, input } = JSON.parse(readFileSync(0, "utf8"));
  let answer;
  try { answer = { output: operations[method].run(input) }; } catch (error) { if (!(answer = error.answer)) throw error; }
  print(answer);
}
