// What an administrator sees: reads the control API and lays out its sections.
import {useCallback} from 'preact/hooks';
import {html} from './html.js';
import {call, Refused, session, Unreachable} from './api.js';
import {readCounters} from './counters.js';
import {useNow, usePolled} from './poll.js';
import {Hosts} from './sections/hosts.js';
import {Keys} from './sections/keys.js';
import {Limits} from './sections/limits.js';
import {Requests} from './sections/requests.js';
import {Status} from './sections/status.js';

const pageSize = 50;

/** @param {{ended: () => void, leave: () => void}} props */
export function Console({ended, leave}) {
  const watch = useCallback((load) => (signal) => load(signal).catch(async (error) => {
    if (error instanceof Refused && (error.status === 401 || error.status === 429) && !(await session()).signedIn) ended();
    throw error;
  }), [ended]);
  const now = useNow();
  const records = usePolled(watch(readRecords), 5);
  const day = usePolled(watch((signal) => call('usage/summary?since=24h&group_by=key', {signal})), 3);
  const events = usePolled(watch((signal) => call(`usage/events?limit=${pageSize}`, {signal})), 1);
  const counters = usePolled(watch((signal) => readCounters(records.value, signal)), 1);
  return html`<${Top} leave=${leave} />${records.value
    ? html`<${Sections} records=${records.value} day=${day.value?.items ?? []} events=${events} counters=${counters} now=${now} fault=${lost(records, events)} />`
    : html`<main class="waiting" aria-busy="true"><p>${records.error?.message ?? 'Reading…'}</p></main>`}`;
}

const Top = ({leave}) => html`<header class="top">
  <a class="brand" href="."><img src="icon.svg" alt="Relay" width="24" height="24" /><span aria-hidden="true">Relay</span></a>
  <nav aria-label="Sections">${['providers', 'keys', 'limits', 'requests'].map((id) => html`<a href=${'#' + id}>${id}</a>`)}</nav>
  <button type="button" onClick=${leave}>Sign out</button>
</header>`;

function Sections({records, day, events, counters, now, fault}) {
  const {state, keys, hosts, hostKeys, names} = records;
  const items = events.value?.items ?? [];
  const {groups, caps} = counters.value ?? {groups: null, caps: new Map()};
  const told = (error) => (error instanceof Unreachable ? null : error);
  return html`<main>
    <${Status} state=${state} day=${day} now=${now} fault=${fault} />
    <${Hosts} hosts=${hosts} keys=${hostKeys} now=${now} />
    <${Keys} keys=${keys} caps=${caps} day=${day} events=${items} now=${now} />
    <${Limits} groups=${groups} error=${told(counters.error)} />
    <${Requests} events=${items} names=${names} baseURL=${state.inferenceURL} now=${now} error=${told(events.error)} />
  </main>`;
}

const lost = (...polled) => polled.map((p) => p.error).find((error) => error instanceof Unreachable) ?? null;

/** Reads what changes seldom. */
async function readRecords(signal) {
  const list = async (kind) => (await call(`${kind}?limit=1000`, {signal})).items;
  const [state, keys, policies, bindings, rateLimits, hosts, hostKeys] = await Promise.all([
    call('status', {signal}), list('relay-keys'), list('policies'), list('policy-bindings'), list('rate-limits'), list('hosts'), list('host-keys'),
  ]);
  const titles = [['limit', rateLimits], ['key', keys], ['policy', policies], ['host key', hostKeys]];
  const names = new Map(titles.flatMap(([word, rows]) => rows.map((row) => [row.metadata.id, `${word} ${row.metadata.name}`])));
  return {state, keys, policies, bindings, hosts, hostKeys, names};
}
