// A loopback bridge from MCP's Streamable HTTP to an entry that speaks over standard input and output.
//
//   node bridge.mjs COMMAND [ARGS...]
//
// Prints its address, then serves until its own standard input ends. One process serves all stateless requests; each
// session of a handshake has one of its own. Ids and progress tokens are made unique on the way in and put back on the way
// out; nothing else of a message is touched, so what a client sees of the body is what the entry wrote. Statuses, headers,
// sessions, Host and Origin are the bridge's own.
//
// Source: specification pages `basic/transports` (2025-11-25) and `basic/transports/streamable-http` (2026-07-28).

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const STATELESS = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';
const [command, ...args] = process.argv.slice(2);

/** One process of the entry. */
class Entry {
  #child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  #pending = new Map(); // our id -> { id, token, stream, settle }
  #next = 1;
  ended = new Promise((resolve) => this.#child.on('exit', resolve));

  constructor() {
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#received(JSON.parse(line)));
    this.ended.then(() => this.#pending.forEach(({ settle }) => settle(null)));
    this.#child.stdin.on('error', () => {});
  }

  send(message) {
    this.#child.stdin.write(JSON.stringify(message) + '\n');
  }

  /** Sends a request; `stream` takes what comes before its answer. */
  request(message, stream) {
    const id = this.#next++;
    const token = message.params?._meta?.progressToken;
    const unique = structuredClone({ ...message, id });
    if (token !== undefined) unique.params._meta.progressToken = id;
    const answer = new Promise((settle) => this.#pending.set(id, { id: message.id, token, stream, settle }));
    this.send(unique);
    return { answer, cancel: () => this.#cancel(id) };
  }

  /** Closes its standard input and waits for its end. */
  async close() {
    this.#child.stdin.end();
    await this.ended;
  }

  #cancel(id) {
    if (this.#pending.delete(id)) this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
  }

  #received(message) {
    const { method, id, params } = message;
    if (method === undefined) {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      pending?.settle({ ...message, id: pending.id });
    } else if (method === 'notifications/progress') {
      const pending = this.#pending.get(params.progressToken);
      pending?.stream({ ...message, params: { ...params, progressToken: pending.token } });
    } else {
      // A question belongs to the one call that runs, which is the last that still waits.
      [...this.#pending.values()].at(-1)?.stream(message);
    }
  }
}

const stateless = new Entry();
const sessions = new Map();

/** The answer to one POST: JSON if the answer comes first, else a stream of events. */
class Reply {
  #response;
  constructor(response) {
    this.#response = response;
  }
  event(message) {
    if (!this.#response.headersSent) {
      this.#response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    }
    this.#response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }
  end(status, message, headers = {}) {
    if (this.#response.headersSent) {
      if (message) this.event(message);
      this.#response.end();
    } else if (message) {
      this.#response.writeHead(status, { 'content-type': 'application/json', ...headers });
      this.#response.end(JSON.stringify(message));
    } else {
      this.#response.writeHead(status, headers).end();
    }
  }
}

function failure(id, code, message) {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** The status of an answer of the stateless revision. */
function status({ error }) {
  if (!error) return 200;
  if (error.code === -32601) return 404;
  return [-32020, -32021, -32022, -32600].includes(error.code) || /_meta/.test(error.message) ? 400 : 200;
}

/** What the headers say otherwise than the body, if anything. */
function mismatch(headers, { method, params }) {
  const named = params?._meta?.[PREFIX + 'protocolVersion'];
  if (named !== undefined && named !== headers['mcp-protocol-version']) return 'MCP-Protocol-Version';
  if (headers['mcp-method'] !== method) return 'Mcp-Method';
  const name = method === 'resources/read' ? params?.uri : ['tools/call', 'prompts/get'].includes(method) && params?.name;
  if (name && decoded(headers['mcp-name']) !== name) return 'Mcp-Name';
  return null;
}

function decoded(value) {
  const base64 = /^=\?base64\?(.*)\?=$/.exec(value ?? '');
  return base64 ? Buffer.from(base64[1], 'base64').toString() : value;
}

async function post(request, reply, body) {
  const message = JSON.parse(body);
  const { headers } = request;
  const isStateless = headers['mcp-protocol-version'] === STATELESS || message.params?._meta?.[PREFIX + 'protocolVersion'];
  if (isStateless) {
    const wrong = mismatch(headers, message);
    if (wrong) return reply.end(400, failure(message.id ?? null, -32020, `${wrong} and the body differ`));
    return forward(stateless, request, reply, message, status);
  }
  if (message.method === 'initialize') {
    const id = randomUUID();
    const entry = new Entry();
    const answer = await entry.request(message, () => {}).answer;
    if (answer?.result) sessions.set(id, entry);
    else await entry.close();
    return reply.end(200, answer, { 'mcp-session-id': id });
  }
  const entry = sessions.get(headers['mcp-session-id']);
  if (!entry) return reply.end(headers['mcp-session-id'] ? 404 : 400, failure(message.id ?? null, -32600, 'no such session'));
  return forward(entry, request, reply, message, () => 200);
}

async function forward(entry, request, reply, message, statusOf) {
  if (message.id === undefined || message.method === undefined) {
    entry.send(message);
    return reply.end(202);
  }
  const { answer, cancel } = entry.request(message, (event) => reply.event(event));
  request.socket.once('close', cancel);
  const answered = await answer;
  request.socket.removeListener('close', cancel);
  if (answered) reply.end(statusOf(answered), answered);
  else reply.end(502);
}

const isLocal = (host) => /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host ?? '');

const server = createServer(async (request, response) => {
  const reply = new Reply(response);
  try {
    const { host, origin } = request.headers;
    if (!isLocal(host) || (origin && !isLocal(origin.replace(/^https?:\/\//, '')))) return reply.end(403);
    if (request.method === 'DELETE') {
      const id = request.headers['mcp-session-id'];
      const entry = sessions.get(id);
      sessions.delete(id);
      await entry?.close();
      return reply.end(entry ? 204 : 404);
    }
    if (request.method !== 'POST') return reply.end(405);
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    await post(request, reply, Buffer.concat(pieces).toString());
  } catch (error) {
    console.error(error);
    reply.end(400);
  }
});

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
process.stdin.resume().on('end', async () => {
  server.close();
  server.closeAllConnections();
  await Promise.all([stateless, ...sessions.values()].map((entry) => entry.close()));
  process.exit();
});
