// Relay keys: who holds one, what it may use, and what it has used.
import {html} from '../html.js';
import {capsOf, count, dollars, utc} from '../format.js';
import {Bar} from '../parts/bar.js';
import {Empty, Section} from '../parts/section.js';
import {Title} from '../parts/title.js';
import {When} from '../parts/when.js';

const most = 100;

/** @param {{keys: any[], caps: Map<string, any[]>, day: any[], events: any[], now: number}} props */
export function Keys({keys, caps, day, events, now}) {
  return html`<${Section} id="keys" title="Keys" note=${note(keys)}>
    ${keys.length === 0
      ? html`<${Empty} says="No key yet. Make one, with caps that suit it:" command="relay key add script --rpm 10 --budget 2/day" />`
      : html`<div class="table keys" role="table" aria-labelledby="keys-title">
        <div class="row head" role="row">
          <span role="columnheader">Key</span><span role="columnheader">State</span><span role="columnheader">Caps and what is used now</span>
          <span role="columnheader" class="number">Requests, 24 h</span><span role="columnheader" class="number">Cost, 24 h</span><span role="columnheader" class="number">Last use</span>
        </div>
        ${keys.slice(0, most).map((key) => html`<${Key} key=${key.metadata.id} record=${key} now=${now}
          caps=${caps.get(key.metadata.id) ?? capsOf(key.spec)} used=${day.find((row) => row.group === key.metadata.id)}
          last=${events.find((e) => e.credential?.id === key.metadata.id)} />`)}
      </div>`}
  <//>`;
}

function note(keys) {
  if (keys.length === 0) return '';
  const all = 'What callers hold. Caps are those of the key itself.';
  return keys.length > most ? html`${all} The first ${most} of ${count(keys.length)}; <code>relay key ls</code> lists them all.` : all;
}

function Key({record, caps, used, last, now}) {
  const [state, mark, since] = stateOf(record.spec, now);
  return html`<div class="row" role="row">
    <span role="cell"><${Title} metadata=${record.metadata} /><code class="soft">${record.spec.prefix ? record.spec.prefix + '…' : 'made elsewhere'}</code></span>
    <span role="cell"><span class="tag" data-state=${mark} title=${since && utc(Date.parse(since))}>${state}</span></span>
    <span role="cell" class="caps">${caps.length > 0 ? caps.map((cap) => html`<${Bar} cap=${cap} />`) : html`<span class="soft">no caps of its own</span>`}</span>
    <span role="cell" class="number" data-label="requests, 24 h">${used ? count(used.requests) : '0'}</span>
    <span role="cell" class="number" data-label="cost, 24 h">${dollars(used?.cost_nanos ?? 0)}</span>
    <span role="cell" class="number" data-label="last use">${last ? html`<${When} at=${last.ts} now=${now} />` : html`<span class="soft">${used ? 'in 24 h' : 'not in 24 h'}</span>`}</span>
  </div>`;
}

function stateOf(spec, now) {
  if (spec.revokedAt) return ['revoked', 'bad', spec.revokedAt];
  if (spec.enabled === false) return ['off', 'idle', ''];
  if (spec.expiresAt && Date.parse(spec.expiresAt) <= now) return ['expired', 'bad', spec.expiresAt];
  return ['works', 'good', ''];
}
