import assert from 'node:assert/strict';
import {test} from 'node:test';
import OpenAI from 'openai';
import {contract} from './contract.mjs';
import {addition, all, clients, key, prompt, url} from './rig.mjs';

const connect = (apiKey) => new OpenAI({apiKey, baseURL: url + '/v1'});
const patient = {short: [429, 200], long: [429], budget: [429], unserved: [503, 503, 503], overloaded: [503, 200]};

const ask = ({model, client}) => ({model, messages: [{role: 'user', content: prompt(client)}]});
const tools = [{type: 'function', function: {name: addition.name, description: addition.description, parameters: addition.schema, strict: true}}];
const spent = (usage) => ({input: usage.prompt_tokens, output: usage.completion_tokens});

/** Sends the result of the call in the message and returns both turns. */
async function resume(setup, message, create) {
  const [call] = message.tool_calls;
  const last = await create({...ask(setup), tools, messages: [...ask(setup).messages, message, {role: 'tool', tool_call_id: call.id, content: '42'}]});
  return {name: call.function.name, args: JSON.parse(call.function.arguments), text: last.content};
}

contract('openai', {
  model: 'chat-mini', retries: patient, status: (e) => e.status,
  async whole(setup) {
    const answer = await connect(setup.key).chat.completions.create(ask(setup));
    return {text: answer.choices[0].message.content, ...spent(answer.usage)};
  },
  async streamed(setup) {
    const stream = connect(setup.key).chat.completions.stream({...ask(setup), stream_options: {include_usage: true}});
    let pieces = 0;
    stream.on('content', () => pieces++);
    const answer = await stream.finalChatCompletion();
    return {text: answer.choices[0].message.content, pieces, ...spent(answer.usage)};
  },
  async tools(setup) {
    const create = async (params) => (await connect(setup.key).chat.completions.create(params)).choices[0].message;
    return resume(setup, await create({...ask(setup), tools}), create);
  },
  async toolsStreamed(setup) {
    const create = async (params) => connect(setup.key).chat.completions.stream(params).finalMessage();
    return resume(setup, await create({...ask(setup), tools}), create);
  },
});

const respond = ({model, client}) => ({model, input: [{role: 'user', content: prompt(client)}], store: false});
const functions = [{type: 'function', name: addition.name, description: addition.description, parameters: addition.schema, strict: true}];
const reported = ({usage}) => ({input: usage.input_tokens, output: usage.output_tokens});

async function resumeResponse(setup, first, create) {
  const call = first.output.find((item) => item.type === 'function_call');
  const input = [...respond(setup).input, call, {type: 'function_call_output', call_id: call.call_id, output: '42'}];
  return {name: call.name, args: JSON.parse(call.arguments), text: (await create({...respond(setup), input, tools: functions})).output_text};
}

contract('openai-responses', {
  model: 'responses-mini', retries: patient, status: (e) => e.status,
  async whole(setup) {
    const answer = await connect(setup.key).responses.create(respond(setup));
    return {text: answer.output_text, ...reported(answer)};
  },
  async streamed(setup) {
    const stream = connect(setup.key).responses.stream(respond(setup));
    let pieces = 0;
    stream.on('response.output_text.delta', () => pieces++);
    const answer = await stream.finalResponse();
    return {text: answer.output_text, pieces, ...reported(answer)};
  },
  async tools(setup) {
    const create = (params) => connect(setup.key).responses.create(params);
    return resumeResponse(setup, await create({...respond(setup), tools: functions}), create);
  },
  async toolsStreamed(setup) {
    const create = (params) => connect(setup.key).responses.stream(params).finalResponse();
    return resumeResponse(setup, await create({...respond(setup), tools: functions}), create);
  },
});

test('openai: embeddings come as they were asked for', async () => {
  clients.push('openai-embeddings');
  const openai = connect(await key('openai-embeddings'));
  for (const encoding_format of [undefined, 'float']) {
    const {data, usage} = await openai.embeddings.create({model: 'chat-embed', input: prompt('openai-embeddings'), encoding_format});
    assert.deepEqual([...data[0].embedding], [0.25, -0.5, 1]);
    assert.equal(usage.total_tokens, 5);
  }
});

test('openai: models are listed and shown', async () => {
  const openai = connect(await key('openai-models'));
  const names = (await all(openai.models.list())).map((model) => model.id);
  assert.ok(names.includes('chat-mini'), names.join());
  assert.equal((await openai.models.retrieve('chat-mini')).id, 'chat-mini');
});

test('openai: a stream that asks for no usage gets none', async () => {
  clients.push('openai-plain');
  const setup = {key: await key('openai-plain'), model: 'chat-mini', client: 'openai-plain'};
  const chunks = await all(await connect(setup.key).chat.completions.create({...ask(setup), stream: true}));
  assert.deepEqual(chunks.filter((chunk) => chunk.choices.length === 0 || chunk.usage), []);
});
