import assert from 'node:assert/strict';
import {test} from 'node:test';
import {ChatOpenAI, OpenAIEmbeddings} from '@langchain/openai';
import {contract} from './contract.mjs';
import {addition, all, clients, key, prompt, url} from './rig.mjs';

const tools = [{type: 'function', function: {name: addition.name, description: addition.description, parameters: addition.schema}}];
const spent = ({usage_metadata}) => ({input: usage_metadata.input_tokens, output: usage_metadata.output_tokens});

for (const [client, useResponsesApi, model] of [['langchain', false, 'chat-mini'], ['langchain-responses', true, 'responses-mini']]) {
  const connect = ({key, model}) => new ChatOpenAI({model, apiKey: key, useResponsesApi, configuration: {baseURL: url + '/v1'}});
  const ask = [{role: 'user', content: prompt(client)}];
  const streamed = async (chat, messages) => (await all(chat.stream(messages))).reduce((whole, chunk) => whole.concat(chunk));
  const resume = async (setup, invoke) => {
    const chat = connect(setup).bindTools(tools);
    const first = await invoke(chat, ask);
    const [call] = first.tool_calls;
    const last = await invoke(chat, [...ask, first, {role: 'tool', tool_call_id: call.id, content: '42'}]);
    return {name: call.name, args: call.args, text: last.text};
  };
  contract(client, {
    model, status: (e) => e.status,
    // Its waits double from one second on, with up to as much again by chance.
    retries: {short: [429, 200], long: [429], budget: [429], unserved: Array(7).fill(503), overloaded: [503, 200], waits: {short: [900, 2_500], unserved: 126_000}},
    async whole(setup) {
      const answer = await connect(setup).invoke(ask);
      return {text: answer.text, ...spent(answer)};
    },
    async streamed(setup) {
      const chunks = await all(connect(setup).stream(ask));
      const answer = chunks.reduce((whole, chunk) => whole.concat(chunk));
      return {text: answer.text, pieces: chunks.length, ...spent(answer)};
    },
    tools: (setup) => resume(setup, (chat, messages) => chat.invoke(messages)),
    toolsStreamed: (setup) => resume(setup, streamed),
  });
}

test('langchain: an embedding', async () => {
  clients.push('langchain-embeddings');
  const apiKey = await key('langchain-embeddings');
  const embeddings = new OpenAIEmbeddings({model: 'chat-embed', apiKey, configuration: {baseURL: url + '/v1'}});
  assert.deepEqual(await embeddings.embedQuery(prompt('langchain-embeddings')), [0.25, -0.5, 1]);
});
