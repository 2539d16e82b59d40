import Anthropic from '@anthropic-ai/sdk';
import {apiKey, matrix, resultOf, tools, url} from './matrix.mjs';

const anthropic = new Anthropic({apiKey, baseURL: url, maxRetries: 0});

matrix('anthropic', {own: 'messages', async run(q) {
  const params = {
    model: q.model, max_tokens: 4000, messages: [{role: 'user', content: q.prompt}],
    ...q.tools && {tools: tools.map(({name, description, schema}) => ({name, description, input_schema: schema}))},
    ...q.think && {thinking: {type: 'enabled', budget_tokens: 2000}},
    ...q.schema && {output_config: {format: {type: 'json_schema', schema: q.schema}}},
  };
  const calls = [];
  for (;;) {
    const {message, pieces} = await create(params, q.streamed);
    params.messages.push({role: 'assistant', content: message.content});
    const made = message.content.filter((block) => block.type === 'tool_use');
    calls.push(...made.map(({name, input}) => ({name, args: input})));
    if (message.stop_reason === 'tool_use') {
      params.messages.push({role: 'user', content: made.map(({id, name}) => ({type: 'tool_result', tool_use_id: id, content: resultOf(name)}))});
      continue;
    }
    const all = (type, member) => message.content.filter((block) => block.type === type).map((block) => block[member]).join('');
    const {input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens: output} = message.usage;
    const input = input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
    return {text: all('text', 'text'), reasoning: all('thinking', 'thinking'), calls, stop: message.stop_reason === 'end_turn' ? 'stop' : message.stop_reason, input, output, pieces};
  }
}});

async function create(params, streamed) {
  if (!streamed) return {message: await anthropic.messages.create(params)};
  let pieces = 0;
  const stream = anthropic.messages.stream(params).on('text', () => pieces++);
  return {message: await stream.finalMessage(), pieces};
}
