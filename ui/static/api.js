// Calls to the control API of the server that this page came from.

/** The server refused; the message is for people. */
export class Refused extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Nobody answered. */
export class Unreachable extends Error {
  constructor() { super('Relay does not answer.'); }
}

/**
 * @param {string} path under api/
 * @param {{method?: string, body?: any, signal?: AbortSignal}} [options]
 * @returns {Promise<any>} the answer, or null when it has no content
 */
export async function call(path, {method = 'GET', body, signal} = {}) {
  const response = await send(path, {
    method, signal, cache: 'no-store', credentials: 'same-origin', referrerPolicy: 'no-referrer',
    headers: body === undefined ? {} : {'Content-Type': 'application/json'},
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok) throw new Refused(response.status, await reason(response));
  return response.status === 204 ? null : response.json();
}

async function send(path, init) {
  try {
    return await fetch('api/' + path, init);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Unreachable();
  }
}

async function reason(response) {
  try {
    const problem = await response.json();
    if (typeof problem.detail === 'string') return problem.detail;
  } catch { /* not from a Relay */ }
  return `The server answered ${response.status}.`;
}

/** @returns {Promise<{signedIn: boolean, setUp: boolean, oidc?: boolean}>} */
export const session = () => call('session');

/** @param {string} username @param {string} password */
export const signIn = (username, password) => call('session', {method: 'POST', body: {username, password}});

/**
 * Makes the first user.
 * @param {string} setup the secret of a setup link @param {string} username @param {string} password
 */
export const setUp = (setup, username, password) => call('setup', {method: 'POST', body: {setup, username, password}});

export const signOut = () => call('session', {method: 'DELETE'});
