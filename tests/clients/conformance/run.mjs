// Runs both frozen requirement sets of MCP's conformance suite against an entry behind the bridge, and says what came of it.
//
//   node run.mjs FOLDER COMMAND [ARGS...]    FOLDER: where the suite is installed; results go there, too
//
// Stricter than the suite itself, which holds only scored scenarios against the file of expected failures.

import { spawn } from 'node:child_process';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

const REVISIONS = ['2026-07-28', '2025-11-25'];
const [folder, ...entry] = process.argv.slice(2);
const here = new URL('.', import.meta.url).pathname;
const baseline = `${here}expected-failures.yml`;

/** Each expected failure with its reason: the comment above it. */
function expectedFailures() {
  const reasons = new Map();
  let reason;
  for (const line of readFileSync(baseline, 'utf8').split('\n')) {
    reason = /^ {2}# (.*)/.exec(line)?.[1] ?? reason;
    const check = /^ {2}- (\S+)/.exec(line)?.[1];
    if (check) reasons.set(check, reason);
  }
  return reasons;
}

/** The verdict on one set: the worst status of each check, by `scenario:check`. */
async function run(url, revision) {
  const results = `${folder}/results-${revision}`;
  rmSync(results, { recursive: true, force: true });
  const suite = `${folder}/node_modules/@modelcontextprotocol/conformance/dist/index.js`;
  const args = ['server', '--url', url, '--requirements', revision, '-o', results, '--expected-failures', baseline];
  const child = spawn(process.execPath, [suite, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece));
  const code = await new Promise((resolve) => child.on('close', resolve));

  const checks = new Map();
  for (const scenario of readdirSync(results)) {
    const name = /^server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(scenario)[1];
    for (const { id, status } of JSON.parse(readFileSync(`${results}/${scenario}/checks.json`, 'utf8'))) {
      const key = `${name}:${id}`;
      const failed = status === 'FAILURE' || status === 'WARNING';
      if (failed || (status === 'SUCCESS' && !checks.get(key))) checks.set(key, failed);
    }
  }
  return { code, output, checks };
}

const bridge = spawn(process.execPath, [`${here}bridge.mjs`, ...entry], { stdio: ['pipe', 'pipe', 'inherit'] });
const url = await new Promise((resolve, reject) => {
  createInterface({ input: bridge.stdout }).once('line', resolve);
  bridge.once('exit', () => reject(new Error('the bridge has ended')));
});

const expected = expectedFailures();
const met = new Map(); // reason -> expected failures met
const passed = new Set();
const problems = [];
for (const revision of REVISIONS) {
  const { code, output, checks } = await run(url, revision);
  const failures = [...checks].filter(([, failed]) => failed).map(([key]) => key);
  const unexpected = failures.filter((key) => !expected.has(key));
  for (const key of failures) if (expected.has(key)) met.set(key, expected.get(key));
  for (const [key, failed] of checks) if (!failed) passed.add(key);
  console.log(`${revision}: ${checks.size - failures.length} checks passed, ${failures.length - unexpected.length} failed as expected, ${unexpected.length} failed`);
  problems.push(...unexpected.map((key) => `${key} failed at ${revision}`));
  if (code !== 0) problems.push(`the suite itself ended with ${code} at ${revision}:\n${output.slice(-4000)}`);
}
for (const key of expected.keys()) {
  if (!met.has(key)) problems.push(`${key} is expected to fail and ${passed.has(key) ? 'passes' : 'is in neither set'}`);
}
console.log(`expected failures: ${met.size}`);
const counts = new Map();
for (const reason of met.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
for (const [reason, count] of counts) console.log(`  ${String(count).padStart(2)}  ${reason}`);
for (const problem of problems) console.log(`PROBLEM: ${problem}`);

bridge.stdin.end();
await new Promise((resolve) => bridge.on('exit', resolve));
process.exitCode = problems.length ? 1 : 0;
