// What an administrator sees: reads the control API and lays out its sections.
import {useCallback, useRef} from 'preact/hooks';
import {html} from './html.js';
import {call, Refused, session, Unreachable} from './api.js';
import {doubted, readCounters, standing} from './counters.js';
import {useFeed, withTold} from './feed.js';
import {useNow, useRead} from './poll.js';
import {Hosts} from './sections/hosts.js';
import {Keys} from './sections/keys.js';
import {Limits} from './sections/limits.js';
import {Requests} from './sections/requests.js';
import {Status} from './sections/status.js';

const pageSize = 50;

/** @param {{ended: () => void, leave: () => void}} props */
export function Console({ended, leave}) {
  const leaving = useRef(false);
  const watch = useCallback((load) => (signal) => load(signal).catch(async (error) => {
    if (error instanceof Refused && (error.status === 401 || error.status === 429) && !(await session()).signedIn && !leaving.current) ended();
    throw error;
  }), [ended]);
  const now = useNow();
  const {feed, close} = useFeed();
  const records = useRead(watch((signal) => readRecords(records.value, signal)), {every: 5});
  const day = useRead(watch((signal) => call('usage/summary?since=24h&group_by=key', {signal})), {every: feed.live ? 60 : 3, when: feed.used, pause: 3});
  const events = useRead(watch((signal) => call(`usage/events?limit=${pageSize}`, {signal})), {every: feed.live ? 0 : 1, when: feed.gaps});
  const counters = useCounters(watch, records.value, feed, now);
  const out = () => {
    leaving.current = true;
    close();
    leave();
  };
  return html`<${Top} leave=${out} sections=${shown(records.value)} />${records.value
    ? html`<${Sections} records=${stated(records.value, feed.states)} day=${day.value?.items ?? []} items=${withTold(events.value?.items ?? [], feed.events)}
      events=${events} counters=${counters} now=${now} fault=${lost(records, events)} />`
    : html`<main class="waiting" aria-busy="true"><p>${records.error?.message ?? 'Reading…'}</p></main>`}`;
}

/** Counters are read again when records are others and, while the stream is lost, every second. */
function useCounters(watch, records, feed, now) {
  const last = useRef(/** @type {import('./counters.js').Counters | null} */ (null));
  const of = `${records?.state.generation} ${feed.live}`, doubts = doubted(last.current, feed, now);
  const counters = useRead(watch(async (signal) => (last.current = records && await readCounters(records, of, last.current, doubts, signal))),
    {every: feed.live ? 0 : 1, when: [of, ...[...doubts].map((owner) => owner + last.current?.at.get(owner))].join(), pause: 1});
  return {...counters, value: counters.value && standing(counters.value, feed.standings, now)};
}

const Top = ({leave, sections}) => html`<header class="top">
  <a class="brand" href="."><img src="icon.svg" alt="Relay" width="24" height="24" /><span aria-hidden="true">Relay</span></a>
  <nav aria-label="Sections">${sections.map((id) => html`<a href=${'#' + id}>${id}</a>`)}</nav>
  <button type="button" onClick=${leave}>Sign out</button>
</header>`;

/** What its reader may not read is left out. */
const shown = (records) => [records?.hosts && 'providers', records?.keys && 'keys', records?.policies && 'limits', records && 'requests'].filter(Boolean);

function Sections({records, day, items, events, counters, now, fault}) {
  const {state, keys, hosts, hostKeys, names} = records;
  const {groups, caps} = counters.value ?? {groups: null, caps: new Map()};
  const told = (error) => (error instanceof Unreachable ? null : error);
  return html`<main>
    <${Status} state=${state} day=${day} now=${now} fault=${fault} />
    ${hosts && html`<${Hosts} hosts=${hosts} keys=${hostKeys} now=${now} />`}
    ${keys && html`<${Keys} keys=${keys} caps=${caps} day=${day} events=${items} now=${now} />`}
    ${records.policies && html`<${Limits} groups=${groups} error=${told(counters.error)} />`}
    <${Requests} events=${items} names=${names} baseURL=${state.inferenceURL} now=${now} error=${told(events.error)} />
  </main>`;
}

const lost = (...polled) => polled.map((p) => p.error).find((error) => error instanceof Unreachable) ?? null;

/**
 * Hosts and their keys in the state that was told last. To whom no states are
 * told, no keys are listed that there may be all the same.
 */
function stated(records, told) {
  const {hosts, hostKeys} = told ?? records.state;
  const put = (rows, states) => rows?.map((row) => ({...row, status: states?.[row.metadata.id] ?? row.status}));
  return {...records, hosts: put(records.hosts, hosts), hostKeys: records.state.hosts ? put(records.hostKeys, hostKeys) : null};
}

/**
 * Reads the state of the process and, when the catalog is another than before,
 * what is in it; always where the state tells nothing of hosts.
 */
async function readRecords(former, signal) {
  const state = await call('status', {signal});
  if (state.hosts && former?.state.generation === state.generation) return {...former, state};
  const list = (kind) => call(`${kind}?limit=1000`, {signal}).then(({items}) => items, unlessForbidden);
  const [keys, policies, bindings, rateLimits, hosts, hostKeys] = await Promise.all([
    list('relay-keys'), list('policies'), list('policy-bindings'), list('rate-limits'), list('hosts'), list('host-keys'),
  ]);
  const titles = [['limit', rateLimits], ['key', keys], ['policy', policies], ['host key', hostKeys]];
  const names = new Map(titles.flatMap(([word, rows]) => (rows ?? []).map((row) => [row.metadata.id, `${word} ${row.metadata.name}`])));
  return {state, keys, policies, bindings, hosts, hostKeys, names};
}

function unlessForbidden(error) {
  if (error instanceof Refused && error.status === 403) return null;
  throw error;
}
