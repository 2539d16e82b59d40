// A relay of its own: the built program on free ports in a temporary data
// directory.
import {execFile, spawn} from 'node:child_process';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {promisify} from 'node:util';
import {upstreamKey} from './upstream.mjs';

const program = process.env.RELAY ?? new URL('../../../relay', import.meta.url).pathname;

/** @param {Record<string, string>} [more] environment */
export async function startRelay(more = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'relay-ui-'));
  const env = {
    PATH: process.env.PATH, HOME: dir, TZ: 'UTC', NO_COLOR: '1', UP_KEY: upstreamKey, RELAY_DATA_DIR: dir, RELAY_DISCOVER: undefined,
    RELAY_INFERENCE_LISTEN: '127.0.0.1:0', RELAY_CONTROL_LISTEN: '127.0.0.1:0', ...more,
  };
  const child = spawn(program, ['serve'], {env, stdio: ['ignore', 'inherit', 'pipe']});
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const log = [];
  const listening = await new Promise((resolve, reject) => {
    createInterface({input: child.stderr}).on('line', (line) => {
      log.push(line);
      if (line.includes('"relay is listening')) resolve(JSON.parse(line));
    });
    child.once('error', reject);
    ended.then((code) => reject(new Error(`relay serve ended with ${code}:\n${log.join('\n')}`)));
  });
  const relay = new Relay(dir, env, listening, log);
  relay.stop = async () => {
    child.kill('SIGINT');
    const code = await ended;
    await rm(dir, {recursive: true, force: true});
    if (code !== 0) throw new Error(`relay serve ended with ${code}:\n${log.join('\n')}`);
  };
  return relay;
}

class Relay {
  constructor(dir, env, {inference, control}, log) {
    Object.assign(this, {dir, env, inference, control, log});
  }

  /** The link that first boot left for its owner. */
  async firstLink() {
    const text = await readFile(join(this.dir, 'first-run.txt'), 'utf8');
    return text.match(/http:\/\/\S+#setup=\S+/)[0];
  }

  /** The key that first boot made. */
  async firstKey() {
    return (await readFile(join(this.dir, 'first-run.txt'), 'utf8')).match(/sk-wr-\S+/)[0];
  }

  /** Runs a command line and returns what it printed. */
  async run(...args) {
    const {stdout} = await promisify(execFile)(program, args, {env: this.env});
    return stdout.trim();
  }

  /** Calls the control API with the admin token. */
  async api(method, path, body) {
    const token = (await readFile(join(this.dir, 'admin.token'), 'utf8')).trim();
    const response = await fetch(this.control + 'api/' + path, {
      method, headers: {Authorization: `Bearer ${token}`, 'Content-Type': 'application/json'},
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  /** Sends a chat completion and returns its status. */
  async chat(key, model, headers = {}, members = {}) {
    const response = await fetch(this.inference + '/v1/chat/completions', {
      method: 'POST', headers: {Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers},
      body: JSON.stringify({model, messages: [{role: 'user', content: 'Say something.'}], ...members}),
    });
    await response.text();
    return response.status;
  }
}
