import {createAnthropic} from '@ai-sdk/anthropic';
import {createGoogleGenerativeAI} from '@ai-sdk/google';
import {createOpenAI} from '@ai-sdk/openai';
import {generateText, jsonSchema, Output, stepCountIs, streamText, tool} from 'ai';
import {all, apiKey, matrix, tools, url} from './matrix.mjs';

globalThis.AI_SDK_LOG_WARNINGS = false; // about models that it does not know

const openai = createOpenAI({apiKey, baseURL: url + '/v1'});
const anthropic = createAnthropic({apiKey, baseURL: url + '/v1'});
const google = createGoogleGenerativeAI({apiKey, baseURL: url + '/v1beta'});

// How each provider is told to think. The one of chat completions has no place for thoughts.
const thinking = {
  openai: {forceReasoning: true, reasoningEffort: 'low', reasoningSummary: 'auto'},
  anthropic: {thinking: {type: 'enabled', budgetTokens: 2000}},
  google: {thinkingConfig: {includeThoughts: true, thinkingBudget: 2000}},
};
const always = {openai: {store: false, include: ['reasoning.encrypted_content']}, anthropic: {structuredOutputMode: 'outputFormat'}};

const providers = {
  'ai openai': {own: 'responses', model: (name) => openai(name)},
  'ai openai chat': {own: 'chat', model: (name) => openai.chat(name), without: ['reasoning', 'reasoned tools']},
  'ai anthropic': {own: 'messages', model: (name) => anthropic(name)},
  'ai google': {own: 'gemini', model: (name) => google(name)},
};

for (const [name, {own, model, without}] of Object.entries(providers)) {
  matrix(name, {own, without, async run(q) {
    const providerOptions = Object.fromEntries(Object.entries(thinking).map(([name, think]) => [name, {...always[name], ...q.think && think}]));
    const params = {
      model: model(q.model), prompt: q.prompt, providerOptions, maxOutputTokens: own === 'messages' ? 4000 : undefined, maxRetries: 0,
      ...q.tools && {tools: offered(), stopWhen: stepCountIs(3)},
      ...q.schema && {output: Output.object({schema: jsonSchema(q.schema), name: 'animal'})},
    };
    if (!q.streamed) return read(await generateText(params));
    const errors = [];
    const stream = streamText({...params, onError: ({error}) => errors.push(error)});
    const pieces = (await all(stream.textStream)).length;
    if (errors.length > 0) throw errors[0];
    const [steps, text, reasoningText, finishReason] = await Promise.all([stream.steps, stream.text, stream.reasoningText, stream.finishReason]);
    return {...read({steps, text, reasoningText, finishReason}), pieces};
  }});
}

const offered = () => Object.fromEntries(tools.map(({name, description, schema, result}) => [name, tool({description, inputSchema: jsonSchema(schema), execute: () => result})]));

function read({steps, text, reasoningText, finishReason}) {
  const calls = steps.flatMap((step) => step.toolCalls.map(({toolName, input}) => ({name: toolName, args: input})));
  const {inputTokens: input, outputTokens: output} = steps.at(-1).usage;
  return {text, reasoning: reasoningText, calls, stop: finishReason, input, output};
}
