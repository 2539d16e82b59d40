import OpenAI from 'openai';
import {all, apiKey, matrix, resultOf, tools, url} from './matrix.mjs';

const openai = new OpenAI({apiKey, baseURL: url + '/v1', maxRetries: 0});
const format = (schema) => ({name: 'animal', strict: true, schema});

matrix('openai chat', {own: 'chat', async run(q) {
  const params = {
    model: q.model, messages: [{role: 'user', content: q.prompt}], stream: q.streamed,
    ...q.streamed && {stream_options: {include_usage: true}},
    ...q.tools && {tools: tools.map(({name, description, schema}) => ({type: 'function', function: {name, description, parameters: schema}}))},
    ...q.think && {reasoning_effort: 'low'},
    ...q.schema && {response_format: {type: 'json_schema', json_schema: format(q.schema)}},
  };
  const calls = [];
  for (;;) {
    const {message, finish_reason, usage, pieces} = await complete(params);
    params.messages.push(message);
    for (const {id, function: {name, arguments: args}} of message.tool_calls ?? []) {
      calls.push({name, args: JSON.parse(args)});
      params.messages.push({role: 'tool', tool_call_id: id, content: resultOf(name)});
    }
    if (finish_reason === 'tool_calls') continue;
    return {text: message.content, reasoning: message.reasoning_content, calls, stop: finish_reason, input: usage.prompt_tokens, output: usage.completion_tokens, pieces};
  }
}});

/** Makes a completion; a message is kept with all that the SDK has no names for. */
async function complete(params) {
  const answer = await openai.chat.completions.create(params);
  if (!params.stream) return {...answer.choices[0], usage: answer.usage};
  const message = {role: 'assistant', content: null};
  const whole = {message, pieces: 0};
  for await (const {choices: [choice], usage} of answer) {
    whole.usage = usage ?? whole.usage;
    if (!choice) continue;
    whole.finish_reason = choice.finish_reason ?? whole.finish_reason;
    merge(message, choice.delta);
    if (choice.delta.content) whole.pieces++;
  }
  return whole;
}

function merge(message, {content, reasoning_content, reasoning_details = [], tool_calls = []}) {
  if (content) message.content = (message.content ?? '') + content;
  if (reasoning_content) message.reasoning_content = (message.reasoning_content ?? '') + reasoning_content;
  if (reasoning_details.length > 0) (message.reasoning_details ??= []).push(...reasoning_details);
  for (const {index, ...call} of tool_calls) {
    const calls = message.tool_calls ??= [];
    calls[index] ??= {...call, function: {name: call.function.name, arguments: ''}};
    calls[index].function.arguments += call.function.arguments ?? '';
  }
}

matrix('openai responses', {own: 'responses', async run(q) {
  const params = {
    model: q.model, input: [{role: 'user', content: q.prompt}], store: false, include: ['reasoning.encrypted_content'],
    ...q.tools && {tools: tools.map(({name, description, schema}) => ({type: 'function', name, description, parameters: schema, strict: true}))},
    ...q.think && {reasoning: {effort: 'low', summary: 'auto'}},
    ...q.schema && {text: {format: {type: 'json_schema', ...format(q.schema)}}},
  };
  const calls = [];
  for (;;) {
    const {response, pieces} = await respond(params, q.streamed);
    params.input.push(...response.output);
    const made = response.output.filter((item) => item.type === 'function_call');
    for (const {call_id, name, arguments: args} of made) {
      calls.push({name, args: JSON.parse(args)});
      params.input.push({type: 'function_call_output', call_id, output: resultOf(name)});
    }
    if (made.length > 0) continue;
    const reasoning = response.output.filter((item) => item.type === 'reasoning').flatMap((item) => item.summary.map((part) => part.text)).join('');
    const {input_tokens: input, output_tokens: output} = response.usage;
    return {text: response.output_text, reasoning, calls, stop: response.status === 'completed' ? 'stop' : response.status, input, output, pieces};
  }
}});

async function respond(params, streamed) {
  if (!streamed) return {response: await openai.responses.create(params)};
  const stream = openai.responses.stream(params);
  const events = await all(stream);
  return {response: await stream.finalResponse(), pieces: events.filter((event) => event.type === 'response.output_text.delta').length};
}
