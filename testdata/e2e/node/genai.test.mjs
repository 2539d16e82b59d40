import assert from 'node:assert/strict';
import {test} from 'node:test';
import {GoogleGenAI} from '@google/genai';
import {contract} from './contract.mjs';
import {addition, all, clients, key, prompt, url} from './rig.mjs';

const connect = (apiKey) => new GoogleGenAI({apiKey, httpOptions: {baseUrl: url}});
const tools = [{functionDeclarations: [{name: addition.name, description: addition.description, parametersJsonSchema: addition.schema}]}];
const ask = ({model, client}) => ({model, contents: [{role: 'user', parts: [{text: prompt(client)}]}]});
const spent = ({promptTokenCount, candidatesTokenCount, thoughtsTokenCount}) => ({input: promptTokenCount, output: candidatesTokenCount + thoughtsTokenCount});

async function resume(setup, create) {
  const [call] = (await create({...ask(setup), config: {tools}})).functionCalls;
  const contents = [
    ...ask(setup).contents,
    {role: 'model', parts: [{functionCall: call}]},
    {role: 'user', parts: [{functionResponse: {id: call.id, name: call.name, response: {output: 42}}}]},
  ];
  return {name: call.name, args: call.args, text: (await create({...ask(setup), contents, config: {tools}})).text};
}

contract('genai', {
  model: 'gemini-mini', status: (e) => e.status,
  retries: {short: [429], long: [429], budget: [429], unserved: [503], overloaded: [503]},
  async whole(setup) {
    const answer = await connect(setup.key).models.generateContent(ask(setup));
    return {text: answer.text, ...spent(answer.usageMetadata)};
  },
  async streamed(setup) {
    const chunks = await all(connect(setup.key).models.generateContentStream(ask(setup)));
    return {text: chunks.map((chunk) => chunk.text ?? '').join(''), pieces: chunks.length, ...spent(chunks.at(-1).usageMetadata)};
  },
  tools: (setup) => resume(setup, (params) => connect(setup.key).models.generateContent(params)),
  toolsStreamed: (setup) => resume(setup, async (params) => {
    const chunks = await all(connect(setup.key).models.generateContentStream(params));
    return {functionCalls: chunks.flatMap((chunk) => chunk.functionCalls ?? []), text: chunks.map((chunk) => chunk.text ?? '').join('')};
  }),
});

test('genai: an embedding', async () => {
  clients.push('genai-embeddings');
  const {embeddings} = await connect(await key('genai-embeddings')).models.embedContent({model: 'gemini-embed', contents: prompt('genai-embeddings')});
  assert.deepEqual(embeddings[0].values, [0.25, -0.5, 1]);
});

test('genai: tokens are counted, models listed, for nothing', async () => {
  const {models} = connect(await key('genai-free'));
  assert.equal((await models.countTokens({model: 'gemini-mini', contents: prompt('genai')})).totalTokens, 30);
  const names = (await all(models.list())).map((model) => model.name);
  assert.ok(names.includes('models/gemini-mini'), names.join());
  assert.equal((await models.get({model: 'gemini-mini'})).name, 'models/gemini-mini');
});
