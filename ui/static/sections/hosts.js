// Hosts and their keys, and how each does.
import {html} from '../html.js';
import {span} from '../format.js';
import {Empty, Section} from '../parts/section.js';
import {Title} from '../parts/title.js';
import {When} from '../parts/when.js';

/** @param {{hosts: any[], keys: any[] | null, now: number}} props keys: null when they may not be read */
export function Hosts({hosts, keys, now}) {
  const shown = hosts.map((host) => ({host, keys: keys?.filter((k) => k.spec.hostId === host.metadata.id) ?? null})).filter(concerns);
  return html`<${Section} id="providers" title="Providers" note=${shown.length > 0 && 'Where calls go, and with which keys.'}>
    ${shown.length === 0
      ? html`<${Empty} says="No provider yet. Connect one; its key is asked for:" command="relay connect openai" />`
      : html`<ul class="hosts">${shown.map(({host, keys}) => html`<${Host} key=${host.metadata.id} host=${host} now=${now} keys=${keys} />`)}</ul>`}
  <//>`;
}

/** The catalogue knows many hosts that nobody here has anything to do with. */
const concerns = ({host, keys}) => keys?.length > 0 || host.metadata.origin?.kind !== 'catalog' || (host.status?.health ?? 'unknown') !== 'unknown';

function Host({host, keys, now}) {
  const health = host.spec.enabled === false ? 'off' : host.status?.health ?? 'unknown';
  return html`<li class="host">
    <p class="host-name"><${Mark} state=${marks[health]} /><${Title} metadata=${host.metadata} /> <span class="soft">${healths[health]}</span></p>
    <p class="soft address">${host.spec.baseURL}</p>
    ${health === 'unreachable' && html`<p class="why">${host.status.lastError}${host.status.lastTransition && html`, since <${When} at=${host.status.lastTransition} now=${now} />`}</p>`}
    ${keys?.length > 0
      ? html`<ul class="host-keys">${keys.map((key) => html`<${HostKey} key=${key.metadata.id} record=${key} now=${now} />`)}</ul>`
      : keys && host.spec.auth !== 'none' && html`<p class="why">It has no key, so that calls to it are refused.</p>`}
  </li>`;
}

function HostKey({record, now}) {
  const {state = 'unknown', until, reason} = record.spec.enabled === false ? {state: 'off'} : record.status ?? {};
  const left = until ? (Date.parse(until) - now) / 1000 : 0;
  return html`<li><${Mark} state=${marks[state]} />key <${Title} metadata=${record.metadata} />
    <span class="soft"> ${states[state]}${left > 0 && ` for ${span(left)}`}${reason && `: ${reason}`}</span></li>`;
}

const Mark = ({state}) => html`<span class="dot" data-state=${state} aria-hidden="true" />`;

const marks = {healthy: 'good', unreachable: 'bad', unknown: 'idle', off: 'idle', closed: 'good', open: 'bad', 'half-open': 'warn', resting: 'warn'};
const healths = {healthy: 'answers', unreachable: 'does not answer', unknown: 'not called yet', off: 'switched off'};
const states = {
  closed: 'in use', open: 'set aside', 'half-open': 'on trial', resting: 'rests', off: 'switched off', unknown: 'not used yet',
};
