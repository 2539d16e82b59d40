// An OpenAI-shaped upstream whose answers are what a test wants them to be.
import {createServer} from 'node:http';

export const upstreamKey = 'upstream-key-of-the-browser-tests';

/**
 * @param {{models: string[], text: string}} say
 * @returns {Promise<{url: string, close: () => void}>}
 */
export async function startUpstream(say) {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part) => body += part).on('end', () => answer(request, response, body, say));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.closeAllConnections() ?? server.close()};
}

function answer(request, response, body, {models, text}) {
  const send = (status, body) => response.writeHead(status, {'Content-Type': 'application/json'}).end(JSON.stringify(body));
  if (request.headers.authorization !== `Bearer ${upstreamKey}`) return send(401, {error: {message: text}});
  if (request.url.endsWith('/models')) return send(200, {object: 'list', data: models.map((id) => ({id, object: 'model'}))});
  if (body.includes('"echo-large"')) return send(500, {error: {message: text, type: text, code: text}});
  send(200, {
    id: 'c1', object: 'chat.completion', created: 1, model: models[0],
    choices: [{index: 0, message: {role: 'assistant', content: text}, finish_reason: 'stop'}],
    usage: {prompt_tokens: 12, completion_tokens: 7, total_tokens: 19},
  });
}
