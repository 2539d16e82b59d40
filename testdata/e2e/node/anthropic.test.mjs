import assert from 'node:assert/strict';
import {test} from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import AnthropicV0 from 'anthropic-sdk-v0';
import {contract} from './contract.mjs';
import {addition, all, key, prompt, url} from './rig.mjs';

const tools = [{name: addition.name, description: addition.description, input_schema: addition.schema}];
const ask = ({model, client}) => ({model, max_tokens: 100, messages: [{role: 'user', content: prompt(client)}]});
const answered = ({content, usage}) => ({text: content[0].text, input: usage.input_tokens, output: usage.output_tokens});

async function resume(setup, create) {
  const {content, stop_reason} = await create({...ask(setup), tools});
  assert.equal(stop_reason, 'tool_use');
  const results = [{type: 'tool_result', tool_use_id: content[0].id, content: '42'}];
  const last = await create({...ask(setup), tools, messages: [...ask(setup).messages, {role: 'assistant', content}, {role: 'user', content: results}]});
  return {name: content[0].name, args: content[0].input, text: last.content[0].text};
}

// The two generations differ in the header of the key and in anthropic-version.
for (const [client, SDK] of Object.entries({'anthropic-v0': AnthropicV0, 'anthropic-v1': Anthropic})) {
  const connect = (apiKey) => new SDK({apiKey, baseURL: url});
  contract(client, {
    model: 'messages-mini', input: 20, status: (e) => e.status,
    retries: {short: [429, 200], long: [429], budget: [429], unserved: [503, 503, 503], overloaded: [529, 200]},
    whole: async (setup) => answered(await connect(setup.key).messages.create(ask(setup))),
    async streamed(setup) {
      const stream = connect(setup.key).messages.stream(ask(setup));
      let pieces = 0;
      stream.on('text', () => pieces++);
      return {...answered(await stream.finalMessage()), pieces};
    },
    tools: (setup) => resume(setup, (params) => connect(setup.key).messages.create(params)),
    toolsStreamed: (setup) => resume(setup, (params) => connect(setup.key).messages.stream(params).finalMessage()),
  });

  test(`${client}: tokens are counted, models listed, for nothing`, async () => {
    const anthropic = connect(await key(client + '-free'));
    const {model, messages} = ask({model: 'messages-mini', client});
    assert.equal((await anthropic.messages.countTokens({model, messages})).input_tokens, 30);
    const names = (await all(anthropic.models.list())).map((model) => model.id);
    assert.ok(names.includes('messages-mini'), names.join());
    assert.equal((await anthropic.models.retrieve('messages-mini')).id, 'messages-mini');
  });
}
