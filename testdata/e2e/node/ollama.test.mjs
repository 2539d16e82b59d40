import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Ollama} from 'ollama';
import {contract} from './contract.mjs';
import {addition, all, clients, key, prompt, text, url} from './rig.mjs';

const connect = (key) => new Ollama({host: url, headers: {Authorization: `Bearer ${key}`}});
const tools = [{type: 'function', function: {name: addition.name, description: addition.description, parameters: addition.schema}}];
const ask = ({model, client}) => ({model, messages: [{role: 'user', content: prompt(client)}]});
const spent = ({prompt_eval_count, eval_count}) => ({input: prompt_eval_count, output: eval_count});

async function resume(setup, create) {
  const first = await create({...ask(setup), tools});
  const [{function: call}] = first.tool_calls;
  const messages = [...ask(setup).messages, first, {role: 'tool', tool_name: call.name, content: '42'}];
  return {name: call.name, args: call.arguments, text: (await create({...ask(setup), messages, tools})).content};
}

const streamed = async (setup, params) => all(connect(setup.key).chat({...params, stream: true}));
const joined = (lines) => lines.map((line) => line.message.content).join('');

contract('ollama', {
  model: 'ollama-mini', status: (e) => e.status_code,
  retries: {short: [429], long: [429], budget: [429], unserved: [503], overloaded: [503]},
  async whole(setup) {
    const answer = await connect(setup.key).chat(ask(setup));
    return {text: answer.message.content, ...spent(answer)};
  },
  async streamed(setup) {
    const lines = await streamed(setup, ask(setup));
    return {text: joined(lines), pieces: lines.length, ...spent(lines.at(-1))};
  },
  tools: (setup) => resume(setup, async (params) => (await connect(setup.key).chat(params)).message),
  toolsStreamed: (setup) => resume(setup, async (params) => {
    const lines = await streamed(setup, params);
    return {role: 'assistant', content: joined(lines), tool_calls: lines.flatMap((line) => line.message.tool_calls ?? [])};
  }),
});

test('ollama: generate, embed, show', async () => {
  clients.push('ollama-others');
  const ollama = connect(await key('ollama-others'));
  const ask = {model: 'ollama-mini', prompt: prompt('ollama-others')};
  assert.equal((await ollama.generate(ask)).response, text);
  const lines = await all(ollama.generate({...ask, stream: true}));
  assert.equal(lines.map((line) => line.response).join(''), text);
  assert.deepEqual((await ollama.embed({model: 'ollama-mini', input: prompt('ollama-others')})).embeddings, [[0.25, -0.5, 1]]);
  assert.deepEqual((await ollama.show({model: 'ollama-mini'})).capabilities, ['completion', 'tools']);
});

test('ollama: models are listed, and nothing is changed', async () => {
  const ollama = connect(await key('ollama-free'));
  const names = (await ollama.list()).models.map((model) => model.name);
  assert.ok(names.includes('ollama-mini:latest'), names.join());
  assert.deepEqual((await ollama.ps()).models, []);
  assert.match((await ollama.version()).version, /^\d+\.\d+\.\d+$/);
  await assert.rejects(ollama.pull({model: 'ollama-mini'}), {status_code: 403});
  await assert.rejects(ollama.delete({model: 'ollama-mini'}), {status_code: 403});
});
