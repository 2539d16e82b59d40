import assert from 'node:assert/strict';
import {test} from 'node:test';
import {createAnthropic} from '@ai-sdk/anthropic';
import {createGoogleGenerativeAI} from '@ai-sdk/google';
import {createOpenAI} from '@ai-sdk/openai';
import {createOpenAICompatible} from '@ai-sdk/openai-compatible';
import {embed, generateText, jsonSchema, stepCountIs, streamText, tool} from 'ai';
import {contract} from './contract.mjs';
import {addition, all, clients, key, prompt, url} from './rig.mjs';

globalThis.AI_SDK_LOG_WARNINGS = false; // about models that it does not know

// Each provider with the base URL that it wants.
const providers = {
  'ai-openai': ['responses-mini', ({key, model}) => createOpenAI({apiKey: key, baseURL: url + '/v1'})(model)],
  'ai-openai-chat': ['chat-mini', ({key, model}) => createOpenAI({apiKey: key, baseURL: url + '/v1'}).chat(model)],
  'ai-anthropic': ['messages-mini', ({key, model}) => createAnthropic({apiKey: key, baseURL: url + '/v1'})(model)],
  'ai-google': ['gemini-mini', ({key, model}) => createGoogleGenerativeAI({apiKey: key, baseURL: url + '/v1beta'})(model)],
  'ai-compatible': ['chat-mini', ({key, model}) => createOpenAICompatible({name: 'relay', apiKey: key, baseURL: url + '/v1', includeUsage: true})(model)],
};

const tools = {add: tool({description: addition.description, inputSchema: jsonSchema(addition.schema), execute: ({a, b}) => String(a + b)})};

/** What two steps did: the call of the tool in the first, the text of the second. */
function steps([{toolCalls: [call]}, {text}]) {
  return {name: call.toolName, args: call.input, text};
}

for (const [client, [model, provide]] of Object.entries(providers)) {
  const ask = (setup) => ({model: provide(setup), prompt: prompt(client)});
  const spent = ({inputTokens, outputTokens}) => ({input: inputTokens, output: outputTokens});
  // Errors of streams are thrown where the stream is read; the log is not for them.
  const stream = (params) => streamText({...params, onError() {}});
  contract(client, {
    model, status: (e) => (e.lastError ?? e).statusCode,
    retries: {short: [429, 200], long: [429, 429, 429], budget: [429, 429, 429], unserved: [503, 503, 503], overloaded: [client === 'ai-anthropic' ? 529 : 503, 200]},
    async whole(setup) {
      const answer = await generateText(ask(setup));
      return {text: answer.text, ...spent(answer.usage)};
    },
    async streamed(setup) {
      const answer = stream(ask(setup));
      const pieces = (await all(answer.textStream)).length;
      return {text: await answer.text, pieces, ...spent(await answer.usage)};
    },
    tools: async (setup) => steps((await generateText({...ask(setup), tools, stopWhen: stepCountIs(3)})).steps),
    toolsStreamed: async (setup) => steps(await stream({...ask(setup), tools, stopWhen: stepCountIs(3)}).steps),
  });
}

test('ai: embeddings', async () => {
  clients.push('ai-embeddings');
  const apiKey = await key('ai-embeddings');
  for (const model of [
    createOpenAI({apiKey, baseURL: url + '/v1'}).embedding('chat-embed'),
    createGoogleGenerativeAI({apiKey, baseURL: url + '/v1beta'}).embedding('gemini-embed'),
  ]) {
    assert.deepEqual((await embed({model, value: prompt('ai-embeddings')})).embedding, [0.25, -0.5, 1]);
  }
});
