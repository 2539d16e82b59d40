// The running relay that the driver names, and what its clients do on the wire.
import {execFile} from 'node:child_process';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after} from 'node:test';
import {promisify} from 'node:util';

const {RELAY_URL, RELAY_UPSTREAM, RELAY_MOST, RELAY, RELAY_DATA_DIR, RELAY_SEEN} = process.env;
if (!RELAY_URL) throw new Error('RELAY_URL is not set: the driver runs these tests, `make test-sdk` in the root of the repository');

/** The base URL of the inference listener, without a version or a slash. */
export const url = RELAY_URL;

// What the upstream answers, as package upstream has it.
export const text = 'Hello, 雨🙂 and you.';
export const sum = 'The sum is 42.';

/** A prompt that the upstream books under the client's name. */
export const prompt = (client) => `Say hello. [client:${client}]`;

/** The one tool, as JSON Schema. */
export const addition = {
  name: 'add', description: 'Adds two integers.',
  schema: {type: 'object', properties: {a: {type: 'integer'}, b: {type: 'integer'}}, required: ['a', 'b'], additionalProperties: false},
};

/** Makes a key with caps and returns it. */
export async function key(name, ...caps) {
  const {stdout} = await promisify(execFile)(RELAY, ['key', 'add', name, ...caps], {env: {PATH: process.env.PATH, HOME: RELAY_DATA_DIR, RELAY_DATA_DIR}});
  return stdout.trim();
}

// Every request that an SDK makes, and every wait between two, in order.
const wire = {attempts: [], waits: [], virtual: false, held: 0, refused() {}};
const {fetch, setTimeout} = globalThis;

globalThis.fetch = async (resource, options) => {
  const attempt = {path: new URL(resource.url ?? resource).pathname, status: 0};
  wire.attempts.push(attempt);
  const response = await fetch(resource, options);
  attempt.status = response.status;
  if (attempt.status >= 400) await wire.refused();
  return response;
};

// SDKs wait between attempts for minutes at most; longer timers are those that
// end a call that hangs, and fetch has timers of its own. Waits are noted and, in
// virtual time, over at once.
globalThis.setTimeout = Object.assign((run, ms, ...args) => {
  const waits = ms >= 300 && ms < 300_000 && !new Error().stack.includes('node:internal/deps/');
  if (waits) wire.waits.push(ms);
  return setTimeout(run, waits && wire.virtual ? 0 : ms, ...args);
}, setTimeout);

/**
 * Runs a call and returns what it did: its answer or the error that it threw,
 * the status of each attempt, and the milliseconds of each wait.
 * @param {() => Promise<any>} call
 * @param {{virtual?: boolean, refused?: () => any}} options virtual: waits are over at once; refused is called before the SDK learns of a refusal
 */
export async function watched(call, {virtual = false, refused = () => {}} = {}) {
  const [from, since] = [wire.attempts.length, wire.waits.length];
  Object.assign(wire, {virtual, refused});
  const outcome = await call().then((answer) => ({answer}), (error) => ({error}));
  Object.assign(wire, {virtual: false, refused() {}});
  return {...outcome, statuses: wire.attempts.slice(from).map((a) => a.status), waits: wire.waits.slice(since)};
}

/**
 * Makes as many requests with the key as relay takes of an account at once, and
 * returns what lets the upstream answer them.
 */
export async function crowd(key, client) {
  const body = JSON.stringify({model: 'chat-mini', messages: [{role: 'user', content: `[hold] [client:${client}]`}]});
  const headers = {Authorization: `Bearer ${key}`, 'Content-Type': 'application/json'};
  const requests = Array.from({length: +RELAY_MOST}, () => fetch(url + '/v1/chat/completions', {method: 'POST', headers, body}).then((response) => response.text()));
  wire.held += requests.length;
  const held = async (method) => (await fetch(`${RELAY_UPSTREAM}/held?client=${client}`, {method})).json();
  while ((await held('GET')).waiting < requests.length);
  return async () => { await held('POST'); await Promise.all(requests); };
}

// Calls that relay counts: not those of model lists, of token counts, and of
// nobody whose key it knows, nor what changes models.
const counted = ({path, status}) => !/models$|models\/[^:]+$|count_tokens$|:countTokens$|api\/(tags|ps|version|show|pull|delete)$/.test(path) && status !== 401;

after(async () => {
  const calls = wire.attempts.filter(counted);
  const seen = {Requests: calls.length + wire.held, Errors: calls.filter((a) => a.status >= 400).length};
  await writeFile(join(RELAY_SEEN, clients.join('+') + '.json'), JSON.stringify({clients, ...seen}));
});

/** The clients of this process, by the names under which they are booked. */
export const clients = [];

/** Everything that an asynchronous iteration gives. */
export async function all(iteration) {
  const items = [];
  for await (const item of await iteration) items.push(item);
  return items;
}
