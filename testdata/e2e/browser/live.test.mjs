import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {look, openPage, startBrowser} from './browser.mjs';
import {startProxy} from './proxy.mjs';
import {startRelay} from './relay.mjs';
import {startUpstream} from './upstream.mjs';

let relay, upstream, browser, proxy, page, complaints;

before(async () => {
  upstream = await startUpstream({models: ['echo-mini'], text: 'hello'});
  relay = await startRelay({RELAY_AUTHZ: 'rbac'});
  browser = await startBrowser();
  proxy = await startProxy(relay.control);
  ({page, complaints} = await openPage(browser.context));
  await relay.run('connect', 'up', '--base-url', upstream.url, '--shape', 'openai', '--value-env', 'UP_KEY');
  relay.key = await relay.run('key', 'add', 'script', '--rpm', '30', '--budget', '2/day');
  const limit = await relay.api('POST', 'rate-limits', {metadata: {name: 'chat-rl'}, spec: {rules: [{meter: 'requests', amount: 4, window: 86400, strategy: 'fixed-window'}]}});
  const policy = await relay.api('POST', 'policies', {metadata: {name: 'chat'}, spec: {rateLimitId: limit.metadata.id, budgets: [{amount: '20', period: 'month', onExceed: 'block'}]}});
  await relay.api('POST', 'policy-bindings', {metadata: {}, spec: {policyId: policy.metadata.id, account: 'service-account:script'}});
});

after(async () => {
  await browser?.close();
  proxy?.close();
  await relay?.stop();
  upstream?.close();
});

const password = 'correct horse battery';

async function credentials(to, username, action) {
  await to.getByLabel('Username').fill(username);
  await to.getByLabel('Password').fill(password);
  await to.getByRole('button', {name: action}).click();
}

const rows = (of = page) => of.locator('.requests .row:not(.head)');
const limit = (of = page) => of.locator('.limit', {hasText: 'chat-rl'});
const live = () => proxy.until('a live stream', () => proxy.open.size === 1);

// What a page asks for as long as it has no stream.
const polls = ['usage/events', 'policies/', 'accounts/', 'explain', 'hosts', 'host-keys'];
const polled = (of = proxy) => polls.filter((begin) => of.count(begin) > 0);

/** Waits until the page has all that it wants to begin with, and forgets it. */
async function settled() {
  await live();
  for (let before = -1; before !== 0;) {
    proxy.asked.length = 0;
    await proxy.rounds(1);
    before = polled().length;
  }
  proxy.asked.length = 0;
}

test('values change without being asked for', async () => {
  await page.goto(proxy.url + '#' + (await relay.firstLink()).split('#')[1]);
  await credentials(page, 'maria', 'Make the first user');
  await limit().getByText('0 of 4 requests a day').waitFor();
  await settled();
  assert.equal(await relay.chat(relay.key, 'echo-mini'), 200);
  await rows().first().getByText('echo-mini').waitFor();
  await limit().getByText('1 of 4 requests a day').waitFor();
  await page.locator('.keys .row', {hasText: 'script'}).locator('[role=meter][aria-valuenow="1"]').first().waitFor();
  await proxy.until('the sums of the day', () => proxy.count('usage/summary') > 0);
  assert.deepEqual(polled(), []);
  await page.locator('.keys .row', {hasText: 'script'}).getByRole('cell', {name: '1', exact: true}).waitFor();
  await proxy.rounds(2);
  assert.deepEqual(polled(), []);
  assert.equal(proxy.count('usage/summary'), 1); // of the call, and none since
  assert.deepEqual(complaints, []);
});

test('a limit that is full tells until when', async () => {
  for (const want of [200, 200, 200, 429]) assert.equal(await relay.chat(relay.key, 'echo-mini'), want);
  await limit().getByText(/^full, empty again in \d+ (h|min)/).waitFor();
  await rows().first().getByText('Refused: requests over limit chat-rl').waitFor();
  assert.equal(await rows().count(), 5);
  assert.equal(proxy.count('usage/events'), 0);
});

test('what is changed elsewhere appears with its counters', async () => {
  await relay.run('key', 'edit', 'script', '--rpm', '50');
  await page.locator('.keys .row', {hasText: 'script'}).getByText(/of 50 requests in any minute/).waitFor();
});

test('a tab has one stream', async () => {
  assert.deepEqual([proxy.open.size, proxy.attempts.length], [1, 1]);
});

test('a hidden tab has none and asks for nothing', async (t) => {
  const other = await startProxy(relay.control), {page: front} = await openPage(browser.context);
  t.after(() => other.close());
  await front.goto(other.url);
  await front.locator('.requests .row').first().waitFor();
  await become(page, 'hidden');
  await proxy.until('no stream', () => proxy.open.size === 0);
  proxy.asked.length = 0;
  await relay.chat(await relay.firstKey(), 'echo-mini');
  await front.locator('.requests .row', {hasText: 'first'}).waitFor();
  await other.rounds(2);
  assert.deepEqual([proxy.open.size, proxy.attempts.length, proxy.asked], [0, 1, []]);
  await front.close();
  await become(page, 'visible');
  await rows().first().getByText('first').waitFor();
  await settled();
  assert.equal(proxy.attempts.length, 2);
  await page.evaluate(() => dispatchEvent(new Event('pagehide'))); // on the way into the cache of pages
  await proxy.until('no stream', () => proxy.open.size === 0);
  await page.evaluate(() => dispatchEvent(new Event('pageshow')));
  await live();
  assert.deepEqual(complaints, []);
});

test('a stream that breaks is opened again, and nothing is missed', async () => {
  const before = proxy.attempts.length;
  proxy.breakOff();
  await relay.chat(await relay.firstKey(), 'echo-mini');
  await proxy.until('asking instead', () => proxy.count('usage/events') > 0);
  await rows().nth(6).waitFor();
  await settled();
  assert.equal(proxy.attempts.length, before + 1);
  await relay.chat(await relay.firstKey(), 'echo-mini');
  await rows().nth(7).waitFor();
  assert.deepEqual(polled(), []);
  complaints.length = 0; // the browser tells of the stream
});

test('while the stream is refused the page asks, and tries again ever later', async () => {
  await page.reload();
  await live();
  proxy.refuses = true;
  proxy.breakOff();
  const before = proxy.attempts.length;
  await proxy.until('three attempts', () => proxy.attempts.length >= before + 3);
  const [first, second, third] = proxy.attempts.slice(before);
  assert.ok(third - second > second - first, `${third - second} ms after ${second - first} ms`);
  await relay.chat(await relay.firstKey(), 'echo-mini');
  await rows().nth(8).waitFor();
  await limit().getByText('4 of 4 requests a day').waitFor();
  assert.ok(polled().includes('usage/events') && polled().includes('policies/'), polled().join());
  proxy.refuses = false;
  await live();
  complaints.length = 0; // the browser tells of the refusals
});

test('who may not follow everything is shown what may be read all the same', async (t) => {
  const {metadata: {id}} = await relay.api('POST', 'users', {metadata: {name: 'noor'}, spec: {password}});
  const project = await relay.api('GET', 'projects/default'), role = await relay.api('GET', 'roles/viewer');
  await relay.api('POST', 'role-bindings', {metadata: {}, spec: {roleId: role.metadata.id, scope: {kind: 'project', id: project.metadata.id}, subjects: [{kind: 'user', id}]}});
  const other = await startProxy(relay.control), mate = await startBrowser(), {page: hers} = await openPage(mate.context);
  t.after(async () => {
    await mate.close();
    other.close();
  });
  await hers.goto(other.url);
  await credentials(hers, 'noor', 'Sign in');
  await rows(hers).nth(8).waitFor();
  await relay.chat(await relay.firstKey(), 'echo-mini');
  await rows(hers).nth(9).waitFor();
  for (const wrong of ['It has no key', 'no usage on disk', 'in flight']) assert.equal(await hers.getByText(wrong).count(), 0, wrong);
  assert.deepEqual(await look(hers, 'restricted'), []);
  assert.equal(other.open.size, 0);
  assert.ok(other.attempts.length > 0);
});

test('counters of end users move too', async () => {
  const each = await relay.api('POST', 'rate-limits', {metadata: {name: 'each'}, spec: {per: ['user'], rules: [{meter: 'requests', amount: 9, window: 86400, strategy: 'fixed-window'}]}});
  const policy = await relay.api('POST', 'policies', {metadata: {name: 'each'}, spec: {rateLimitId: each.metadata.id}});
  const account = await relay.api('POST', 'service-accounts', {metadata: {name: 'each'}, spec: {projectId: 'default'}});
  await relay.api('POST', 'policy-bindings', {metadata: {}, spec: {policyId: policy.metadata.id, account: 'service-account:each'}});
  const trusted = (await relay.api('POST', 'relay-keys', {metadata: {name: 'each'}, spec: {principal: {kind: 'service-account', id: account.metadata.id}, trustUser: true}})).plaintext;
  await page.locator('.limit', {hasText: 'each'}).first().waitFor();
  const ann = page.locator('.limit', {hasText: 'user=ann'});
  for (const used of [1, 2]) {
    assert.equal(await relay.chat(trusted, 'echo-mini', {}, {user: 'ann'}), 200);
    await ann.getByText(`${used} of 9 requests a day`).waitFor();
  }
});

test('a provider that does not answer any more is told by the stream', async () => {
  await live();
  proxy.asked.length = 0;
  upstream.close();
  assert.equal(await relay.chat(await relay.firstKey(), 'echo-mini'), 502);
  await page.locator('.host', {hasText: 'up'}).first().getByText('does not answer').waitFor();
  assert.equal(proxy.count('hosts'), 0);
});

test('sign-out closes the stream', async () => {
  await live();
  const before = proxy.attempts.length;
  await page.getByRole('button', {name: 'Sign out'}).click();
  await page.getByText('Sign in to Relay').waitFor();
  await proxy.until('no stream', () => proxy.open.size === 0);
  assert.equal(await page.getByText('Your session has ended').count(), 0);
  await credentials(page, 'maria', 'Sign in');
  await live();
  assert.equal(proxy.attempts.length, before + 1);
  await limit().waitFor();
  assert.deepEqual(await look(page, 'live'), []);
  assert.deepEqual(complaints, []);
});

/** Makes the page believe that it is hidden or visible: a headless browser shows every tab. */
const become = (of, state) => of.evaluate((state) => {
  Object.defineProperty(document, 'visibilityState', {configurable: true, get: () => state});
  document.dispatchEvent(new Event('visibilitychange'));
}, state);
