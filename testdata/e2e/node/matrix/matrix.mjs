// What every SDK must get of every shape of upstream, and the table of it.
import assert from 'node:assert/strict';
import {after, describe, test} from 'node:test';

const {MATRIX_URL, MATRIX_KEY, MATRIX_SAID} = process.env;
if (!MATRIX_URL) throw new Error('MATRIX_URL is not set: the driver runs these tests, `make test-sdk` in the root of the repository');

/** The base URL of the inference listener, without a version or a slash. */
export const url = MATRIX_URL;
export const apiKey = MATRIX_KEY;

/** What the providers say, as package strict has it: text, sum, thoughts, schema, instance and calls. */
export const said = JSON.parse(MATRIX_SAID);

/** The tools on offer, as JSON Schema, and what they say. */
export const tools = [
  {name: 'add', description: 'Adds two integers.', result: '42', schema: {type: 'object', properties: {a: {type: 'integer'}, b: {type: 'integer'}}, required: ['a', 'b'], additionalProperties: false}},
  {
    name: 'weather', description: 'Tells the weather.', result: 'rain',
    schema: {type: 'object', properties: {city: {type: 'string'}, days: {type: 'array', items: {type: 'integer'}}}, required: ['city', 'days'], additionalProperties: false},
  },
];
export const resultOf = (name) => tools.find((tool) => tool.name === name).result;

const upstreams = ['chat', 'responses', 'messages', 'gemini', 'ollama'];

/**
 * @typedef {{model: string, prompt: string, streamed: boolean, tools?: boolean, think?: boolean, schema?: object}} Question
 * @typedef {{text: string, reasoning?: string, calls?: {name: string, args: object}[], stop: string, input: number, output: number, pieces?: number}} Answer
 * what the conversation has ended with, and the calls on its way
 */

const behaviours = {
  text: {script: 'text', want: {text: said.text}},
  tools: {script: 'tools', tools: true, want: {text: said.sum, calls: said.calls}},
  structure: {script: 'structure', schema: said.schema, want: {structure: said.instance}},
  reasoning: {script: 'reasoning', think: true, want: {text: said.text, reasoning: said.thoughts}},
  'reasoned tools': {script: 'reasoned', tools: true, think: true, want: {text: said.sum, calls: said.calls}},
};

/**
 * Tests an SDK on every shape that is foreign to it.
 * @param {string} name
 * @param {{own: string, run: (q: Question) => Promise<Answer>, stop?: Record<string, string>, without?: string[]}} sdk
 * own is its shape's upstream, without are behaviours that it has no words for
 */
export function matrix(name, {own, run, without = []}) {
  const counts = {};
  describe(name, {timeout: 60_000}, () => {
    for (const upstream of upstreams.filter((shape) => shape !== own)) {
      for (const streamed of [false, true]) {
        for (const [behaviour, b] of Object.entries(behaviours)) {
          if (without.includes(behaviour)) continue;
          const count = counts[upstream] ??= {passed: 0, all: 0};
          count.all++;
          test(`${upstream}, ${streamed ? 'streamed' : 'whole'}, ${behaviour}`, async () => {
            const cell = `${name}/${upstream}/${streamed}/${behaviour}`.replaceAll(' ', '-');
            const prompt = `Answer in JSON if you must. [script:${b.script}] [cell:${cell}]`;
            check(upstream, await run({model: `${upstream}-mini`, prompt, streamed, tools: b.tools, think: b.think, schema: b.schema}), b.want, streamed);
            count.passed++;
          });
        }
      }
    }
  });
  after(() => console.log('#', name.padEnd(20), ...Object.entries(counts).map(([upstream, {passed, all}]) => `${upstream} ${passed}/${all} `)));
}

function check(upstream, {pieces, ...got}, want, streamed) {
  if (want.structure) assert.deepEqual(JSON.parse(got.text), want.structure);
  else assert.equal(got.text, want.text);
  if (want.calls) assert.deepEqual(got.calls, want.calls);
  if (want.reasoning) assert.equal(got.reasoning, want.reasoning);
  assert.equal(got.stop, 'stop');
  assert.deepEqual({input: got.input, output: got.output}, {input: upstream === 'messages' ? 35 : 30, output: 12});
  if (streamed) assert.ok(pieces > 1, `${pieces} pieces`);
}

/** Everything that an asynchronous iteration gives. */
export async function all(iteration) {
  const items = [];
  for await (const item of await iteration) items.push(item);
  return items;
}
