import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import {after, before, test} from 'node:test';
import {look, openPage, startBrowser} from './browser.mjs';
import {payloads} from './payloads.mjs';
import {startRelay} from './relay.mjs';
import {startUpstream, upstreamKey} from './upstream.mjs';

let relay, upstream, browser, page, complaints;

before(async () => {
  upstream = await startUpstream({models: ['echo-mini', 'echo-large'], text: payloads[0]});
  relay = await startRelay();
  browser = await startBrowser();
  ({page, complaints} = await openPage(browser.context));
});

after(async () => {
  await browser?.close();
  await relay?.stop();
  upstream?.close();
});

const password = 'correct horse battery';

async function credentials(username, password, action) {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', {name: action}).click();
}

const see = (text) => page.getByText(text).first().waitFor({timeout: 10000});

test('a stranger is told how to get in', async () => {
  await page.goto(relay.control);
  await see('relay setup --link');
  assert.deepEqual(await look(page, 'signed-out'), []);
  assert.deepEqual(complaints, []);
});

test('the link of first boot makes the first user and leaves no trace', async () => {
  const link = await relay.firstLink();
  await page.goto(link);
  await see('Set up Relay');
  assert.equal(page.url(), relay.control);
  assert.deepEqual(await look(page, 'setup'), []);
  await credentials('maria', 'short', 'Make the first user');
  await see('must be at least 8 bytes long');
  complaints.length = 0; // the browser tells of the refusal
  await credentials('maria', password, 'Make the first user');
  await see('first');
  await see('Taking requests');
  assert.equal(page.url(), relay.control);
  const kept = await page.evaluate(() => JSON.stringify([history.state, {...localStorage}, {...sessionStorage}, document.cookie, performance.getEntriesByType('resource').map((e) => e.name)]));
  assert.ok(!kept.includes(link.split('=')[1]), kept);
  assert.ok(!relay.log.join('\n').includes(link.split('=')[1]));
  const [cookie, ...others] = await browser.context.cookies();
  assert.deepEqual(others, []);
  assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, 'Strict', '/']);
  assert.deepEqual(complaints, []);
});

test('an empty relay names the next command everywhere', async () => {
  await see('relay connect openai');
  await see('relay key edit first');
  await see('curl $OPENAI_BASE_URL/models');
  assert.deepEqual(await look(page, 'empty'), []);
});

test('a key that is made elsewhere appears, with its caps', async () => {
  await relay.run('connect', 'up', '--base-url', upstream.url, '--shape', 'openai', '--value-env', 'UP_KEY');
  relay.key = await relay.run('key', 'add', 'script', '--rpm', '3', '--concurrency', '2', '--budget', '2/day');
  const limit = await relay.api('POST', 'rate-limits', {metadata: {name: 'chat-rl'}, spec: {rules: [
    {meter: 'requests', amount: 5, window: 60, strategy: 'sliding-window'}, {meter: 'tokens', amount: 100, window: 60, strategy: 'sliding-window'},
  ]}});
  const policy = await relay.api('POST', 'policies', {metadata: {name: 'chat'}, spec: {rateLimitId: limit.metadata.id, budgets: [{amount: '20', period: 'month', onExceed: 'block'}]}});
  await relay.api('POST', 'policy-bindings', {metadata: {}, spec: {policyId: policy.metadata.id, account: 'service-account:script'}});
  const account = await relay.api('GET', 'service-accounts/script');
  relay.other = (await relay.api('POST', 'relay-keys', {metadata: {name: 'other'}, spec: {principal: {kind: 'service-account', id: account.metadata.id}}})).plaintext;
  await see('script');
  await page.getByRole('row', {name: /script/}).getByText(/3 requests in any minute/).waitFor();
  await see('chat-rl');
});

test('calls appear as they end, counters move, and the refusal says why', async () => {
  for (const want of [200, 200, 200, 429]) assert.equal(await relay.chat(relay.key, 'echo-mini'), want);
  const rows = page.locator('.requests .row:not(.head)');
  await rows.nth(3).waitFor({timeout: 10000});
  await rows.first().getByText('429').waitFor();
  await rows.first().getByText('Refused: requests over the limit of key script').waitFor();
  await rows.nth(1).getByText('echo-mini').waitFor();
  const row = page.locator('.keys .row', {hasText: 'script'});
  await row.locator('[role=meter][aria-valuenow="3"]').first().waitFor();
  await row.getByText(/^full, room in \d+ s$/).waitFor();
  await row.getByText('4', {exact: true}).waitFor({timeout: 10000});
  const limit = page.locator('.limit', {hasText: 'chat-rl'});
  await limit.getByText('3 of 5 requests in any minute').waitFor();
  await limit.getByText('57 of 100 tokens in any minute').waitFor();
  for (const want of [200, 200, 429]) assert.equal(await relay.chat(relay.other, 'echo-mini'), want);
  await limit.getByText('5 of 5 requests in any minute').waitFor();
  await rows.first().getByText('Refused: requests over limit chat-rl').waitFor();
  assert.deepEqual(await look(page, 'busy'), []);
  assert.deepEqual(complaints, []);
});

test('texts of others are text', async () => {
  const first = await relay.firstKey();
  for (const [i, text] of payloads.entries()) {
    await relay.api('POST', 'relay-keys', {metadata: {name: `x${i}`, displayName: text}, spec: {}});
    await relay.chat(first, text, {'User-Agent': text, 'X-Forwarded-For': text});
  }
  const host = await relay.api('POST', 'hosts', {metadata: {name: 'x', displayName: payloads[1]}, spec: {baseURL: upstream.url, auth: 'bearer'}});
  await relay.api('POST', 'host-keys', {metadata: {name: 'x', displayName: payloads[2]}, spec: {hostId: host.metadata.id, source: {kind: 'stored'}, value: upstreamKey + 'x'}});
  await relay.api('POST', 'rate-limits', {metadata: {name: 'x', displayName: payloads[0]}, spec: {rules: [{meter: 'requests', amount: 1, window: 60, strategy: 'sliding-window'}]}});
  await relay.api('POST', 'host-keys', {metadata: {name: 'unset', displayName: payloads[2]}, spec: {hostId: host.metadata.id, source: {kind: 'env', env: 'NOBODY_SETS_THIS'}}});
  await relay.chat(first, 'echo-large');
  const each = await relay.api('POST', 'rate-limits', {metadata: {name: 'each', displayName: payloads[1]}, spec: {per: ['user'], rules: [{meter: 'requests', amount: 9, window: 60, strategy: 'sliding-window'}]}});
  const policy = await relay.api('POST', 'policies', {metadata: {name: 'each', displayName: payloads[0]}, spec: {rateLimitId: each.metadata.id}});
  const account = await relay.api('POST', 'service-accounts', {metadata: {name: 'each', displayName: payloads[3]}, spec: {projectId: 'default'}});
  await relay.api('POST', 'policy-bindings', {metadata: {}, spec: {policyId: policy.metadata.id, account: 'service-account:each'}});
  const trusted = (await relay.api('POST', 'relay-keys', {metadata: {name: 'each', displayName: payloads[2]}, spec: {principal: {kind: 'service-account', id: account.metadata.id}, trustUser: true}})).plaintext;
  for (const user of payloads) assert.equal(await relay.chat(trusted, 'echo-mini', {}, {user}), 200);
  for (const user of payloads) await page.locator('.limits').getByText(`user=${user}`).first().waitFor({timeout: 10000});
  for (const text of payloads) await page.locator('.keys').getByText(text, {exact: true}).first().waitFor({timeout: 10000});
  await page.locator('.requests').getByText(payloads[0]).first().waitFor({timeout: 10000});
  await see('The provider failed');
  await see('To mind');
  assert.equal(await page.evaluate(() => globalThis.__x), undefined);
  assert.equal(await page.locator('#app script, #app iframe, #app img[src=x]').count(), 0);
  assert.deepEqual(await look(page, 'hostile'), []);
  assert.deepEqual(complaints, []);
});

test('what others have written runs on no page and in no answer', async () => {
  const {page: opened, complaints: heard} = await openPage(browser.context);
  const code = payloads.slice(0, 3).map((text) => encodeURIComponent(text));
  const paths = [
    '', ...code.flatMap((text) => [`#setup=${text}`, `#sign-in=${text}`, `#${text}`, `?q=${text}`, text]),
    ...['relay-keys', 'hosts', 'host-keys', 'rate-limits', 'policies', 'service-accounts', 'usage/events', 'usage/summary?group_by=user', 'audit', 'status', `hosts/${code[0]}`, `hosts?q=${code[1]}`].map((path) => 'api/' + path),
    'metrics', 'readyz',
  ];
  for (const path of paths) {
    await opened.goto('about:blank'); // else another fragment is no other page
    const {'content-security-policy': policy, 'x-content-type-options': sniff} = (await opened.goto(relay.control + path)).headers();
    assert.ok(policy.includes("frame-ancestors 'none'") && !policy.includes('unsafe'), `${path}: ${policy}`);
    assert.equal(sniff, 'nosniff', path);
    assert.equal(await opened.evaluate(() => globalThis.__x), undefined, path);
  }
  for (const text of code) {
    await opened.goto(`${relay.inference}/${text}?key=${text}`);
    assert.equal(await opened.evaluate(() => globalThis.__x), undefined, text);
  }
  assert.deepEqual(heard.filter((line) => !/status of 4\d\d/.test(line)), []);
  await opened.close();
});

test('everything is reached with the keyboard', async () => {
  await page.goto(relay.control);
  await see('Taking requests');
  const reached = new Set();
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement.textContent.trim()));
  }
  for (const name of ['providers', 'keys', 'limits', 'requests', 'Sign out', 'Copy']) assert.ok(reached.has(name), `${name} is not among ${[...reached]}`);
});

test('pages of other origins change nothing', async () => {
  const other = createServer((_, response) => response.writeHead(200, {'Content-Type': 'text/html'}).end('<p>elsewhere</p>'));
  await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
  const {page: elsewhere} = await openPage(browser.context);
  await elsewhere.goto(`http://127.0.0.1:${other.address().port}/`);
  const links = relay.control + 'api/setup-link';
  await elsewhere.evaluate((url) => fetch(url, {method: 'POST', mode: 'no-cors', credentials: 'include', headers: {'Content-Type': 'text/plain'}, body: '{}'}), links).catch(() => {});
  await elsewhere.evaluate((url) => fetch(url, {method: 'DELETE', credentials: 'include'}).catch(() => {}), relay.control + 'api/session');
  const framed = await elsewhere.evaluate((url) => new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.onload = () => resolve(frame.contentDocument === null ? 'blocked' : 'shown');
    frame.src = url;
    document.body.append(frame);
  }), relay.control);
  assert.equal(framed, 'blocked');
  await elsewhere.close();
  other.close();
  await page.reload();
  await see('Taking requests');
});

test('a used link opens nothing', async () => {
  await page.goto('about:blank');
  await page.goto(await relay.firstLink());
  await see('Taking requests');
  await assert.rejects(relay.run('setup', '--link'), /is set up/);
});

test('sign-out ends the session', async () => {
  await page.getByRole('button', {name: 'Sign out'}).click();
  await see('Sign in to Relay');
  assert.deepEqual(await browser.context.cookies(), []);
  assert.equal(await page.evaluate(async () => (await fetch('api/status')).status), 401);
  await page.goto(relay.control + '#sign-in=closed');
  await see('You are no user of this Relay');
  assert.equal(page.url(), relay.control);
  await page.goto(await relay.firstLink());
  await see('set up already');
  assert.deepEqual(await look(page, 'signed-out-again'), []);
  complaints.length = 0;
  await credentials('maria', 'a wrong password', 'Sign in');
  await see('the username or the password is wrong');
  complaints.length = 0; // the browser tells of the refusal
  await credentials('maria', password, 'Sign in');
  await see('Taking requests');
  const kept = await page.evaluate(() => JSON.stringify([location.href, history.state, {...localStorage}, {...sessionStorage}, document.cookie]));
  assert.ok(!kept.includes(password), kept);
});

test('a provider that is gone, and then Relay itself, are told', async () => {
  upstream.close();
  await relay.chat(await relay.firstKey(), 'echo-mini');
  await page.locator('.host', {hasText: 'up'}).first().getByText('does not answer').waitFor({timeout: 10000});
  assert.deepEqual(await look(page, 'unwell'), []);
  await relay.stop();
  await see('Relay does not answer');
  assert.deepEqual(await look(page, 'lost'), []);
});
