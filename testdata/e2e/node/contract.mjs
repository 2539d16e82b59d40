// What every client must see of relay, whichever shape it speaks.
import assert from 'node:assert/strict';
import {before, describe, test} from 'node:test';
import {clients, crowd, key, sum, text, watched} from './rig.mjs';

/**
 * @typedef {{key: string, model: string, client: string}} Setup how to call
 * @typedef {{text: string, input: number, output: number}} Answer
 * @typedef {{name: string, args: object, text: string}} Called the call of the tool, and the text that follows on its result
 *
 * @param {string} client the name under which its calls are booked
 * @param {{
 *   model: string, input?: number,
 *   whole: (s: Setup) => Promise<Answer>,
 *   streamed: (s: Setup) => Promise<Answer & {pieces: number}>,
 *   tools?: (s: Setup) => Promise<Called>, toolsStreamed?: (s: Setup) => Promise<Called>,
 *   status: (error: any) => number, message?: (error: any) => string,
 *   retries: Retries,
 * }} c
 */
export function contract(client, c) {
  clients.push(client);
  describe(client, {timeout: 60_000}, () => {
    let setup;
    before(async () => { setup = {key: await key(client), model: c.model, client}; });
    const answered = ({text: said, input, output}) => assert.deepEqual({said, input, output}, {said: text, input: c.input ?? 30, output: 7});

    test('a whole answer', async () => answered(await c.whole(setup)));
    test('a streamed answer', async () => {
      const answer = await c.streamed(setup);
      answered(answer);
      assert.ok(answer.pieces > 1, `${answer.pieces} pieces`);
    });
    for (const [name, call] of Object.entries({'a tool': c.tools, 'a tool, streamed': c.toolsStreamed})) {
      if (call) test(name, async () => assert.deepEqual(await call(setup), {name: 'add', args: {a: 17, b: 25}, text: sum}));
    }
    errors(client, c, () => setup);
    retries(client, c);
    overloads(client, c);
  });
}

/** Each refusal reaches the caller as the SDK's own error, with its status and relay's words. */
function errors(client, c, setup) {
  const refused = async (way, status, words) => {
    const {error, statuses} = await watched(() => c.whole({...setup(), ...way}), {virtual: true});
    assert.ok(error, 'the call succeeds');
    const message = (c.message ?? ((e) => e.message))(error);
    assert.match(message, words);
    assert.equal(c.status(error), status, message);
    assert.deepEqual(statuses, [status]);
  };
  test('an unknown key', () => refused({key: 'sk-wr-unknown'}, 401, /No valid relay key/));
  test('an unknown model', () => refused({model: 'no-such-model'}, 404, /No model .{0,2}"no-such-model/));
  test('a model that is not allowed', async () => refused({key: await key(`${client}--narrow`, '--models', 'chat-embed')}, 403, /may not use model/));
}

/**
 * @typedef {{
 *   short: number[], long: number[], budget: number[], unserved: number[], overloaded: number[],
 *   waits?: {short?: [number, number], unserved?: number},
 * }} Retries the statuses of the attempts of one call that meets each refusal,
 * and what the client may wait between them, in milliseconds: for a limit over a
 * second at least and at most, for a model without a key in all. Nothing else
 * takes longer than a minute.
 */

/** Refusals of relay's own: a short wait, a long one, a budget, no key for the model, too much to do. */
function retries(client, c) {
  const second = async (name, caps, time) => {
    const setup = {key: await key(`${client}--${name}`, ...caps), model: c.model, client};
    await c.whole(setup);
    return watched(() => c.whole(setup), time);
  };
  test('a limit over a second is waited for, or not', async () => {
    const {answer, error, statuses, waits} = await second('short', ['--rps', '1']);
    assert.deepEqual(statuses, c.retries.short, error);
    assert.equal(error === undefined, statuses.at(-1) === 200);
    if (answer) assert.equal(answer.text, text);
    const [least, most] = c.retries.waits?.short ?? [300, 1_100];
    for (const wait of waits) assert.ok(wait >= least && wait <= most, `waits ${wait} ms`);
  });
  const ends = (call, statuses, most = 60_000) => {
    assert.deepEqual(call.statuses, statuses, call.error);
    assert.ok(call.error, 'the call succeeds');
    const waited = call.waits.reduce((sum, ms) => sum + ms, 0);
    assert.ok(waited <= most, `the call takes ${waited} ms, waits of ${call.waits}`);
    return call.error;
  };
  test('a limit over a day ends the call', async () => {
    assert.match(said(ends(await second('long', ['--rpd', '1'], {virtual: true}), c.retries.long)), /1 of 1 requests in 1d used/);
  });
  for (const period of ['day', 'total']) {
    test(`a budget (${period}) ends the call`, async () => {
      assert.match(said(ends(await second(`budget-${period}`, ['--budget', `0.01/${period}`], {virtual: true}), c.retries.budget)), /quota of \$0\.01/);
    });
  }
  test('a model without a key at any host', async () => {
    const setup = {key: await key(`${client}--unserved`), model: 'dark-mini', client};
    ends(await watched(() => c.whole(setup), {virtual: true}), c.retries.unserved, c.retries.waits?.unserved);
  });
}

/** An account that has as many requests in hand as it may waits for a second. */
function overloads(client, c) {
  test('an overload is waited for, or not', async () => {
    const setup = {key: await key(`${client}--crowd`), model: c.model, client};
    const refused = await crowd(setup.key, client);
    const {answer, error, statuses} = await watched(() => c.whole(setup), {refused});
    await refused();
    assert.deepEqual(statuses, c.retries.overloaded, error);
    assert.equal(answer?.text, statuses.at(-1) === 200 ? text : undefined);
  });
}

/** All that an error and its causes say. */
const said = (error) => [error.message, error.lastError?.message, error.lastError?.responseBody, error.error, error.responseBody].map((t) => typeof t === 'string' ? t : JSON.stringify(t)).join('\n');
