// The last requests, newest first.
import {html} from '../html.js';
import {count, dollars, duration, unit} from '../format.js';
import {Empty, Section} from '../parts/section.js';
import {When} from '../parts/when.js';

/** @param {{events: any[], names: Map<string, string>, baseURL: string, now: number, error: Error | null}} props */
export function Requests({events, names, baseURL, now, error}) {
  return html`<${Section} id="requests" title="Last requests" note=${events.length > 0 && 'Newest first, as they end.'} error=${error}>
    ${events.length === 0
      ? html`<${Empty} says="Nobody has called yet. Try it with a key that relay key add made:" command=${example(baseURL)} />`
      : html`<div class="table requests" role="table" aria-labelledby="requests-title">
        <div class="row head" role="row">
          <span role="columnheader">Status</span><span role="columnheader">Model</span><span role="columnheader">Key</span>
          <span role="columnheader" class="number">Input</span><span role="columnheader" class="number">Output</span>
          <span role="columnheader" class="number">Cost</span><span role="columnheader" class="number">Took</span><span role="columnheader" class="number">When</span>
        </div>
        ${events.map((event) => html`<${Request} key=${event.request_id} event=${event} names=${names} now=${now} />`)}
      </div>`}
  <//>`;
}

function Request({event, names, now}) {
  const why = reason(event, names);
  const {input, output, cache_read: read, cache_creation: written} = event.tokens;
  return html`<div class="row" role="row">
    <span role="cell"><span class="tag" data-state=${event.status < 400 ? 'good' : event.status < 500 ? 'warn' : 'bad'}>${event.status}</span></span>
    <span role="cell" class="model"><span>${event.model_name || event.requested_model || 'no model'}</span>${event.host_name && html` <span class="soft">at ${event.host_name}</span>`}
      ${why && html`<span class="why">${why}</span>`}</span>
    <span role="presentation" class="details"><span role="cell" class="key">${event.credential_name || event.credential?.prefix || html`<span class="soft none">–</span>`}</span>
    <span role="cell" class="number" data-unit="in" title=${read || written ? `${count(read)} read from and ${count(written)} written to the cache` : null}><${Count} n=${input + read + written} /></span>
    <span role="cell" class="number" data-unit="out"><${Count} n=${output} /></span>
    <span role="cell" class="number">${event.cost_nanos == null ? html`<span class="soft none" title="no price is known">–</span>` : dollars(event.cost_nanos)}</span>
    <span role="cell" class="number" title=${event.ttft_ms ? `first token after ${duration(event.ttft_ms)}` : null}>${duration(event.duration_ms)}</span></span>
    <span role="cell" class="number when"><${When} at=${event.ts} now=${now} /></span>
  </div>`;
}

const Count = ({n}) => (n ? count(n) : html`<span class="soft none">–</span>`);

function reason(event, names) {
  if (event.refused_by) return refusal(event.refused_by, names);
  if (!event.error_kind) return '';
  return reasons[event.error_kind] ?? sentence(event.error_kind);
}

function refusal({limit, meter}, names) {
  if (meter === 'cost') return `Refused: the budget of ${limit} is used up`;
  const own = /^[a-z ]+ \S/.test(limit);
  const over = own ? `the limit of ${limit}` : names.get(limit) ?? 'a limit that is gone';
  return `Refused: ${unit(meter)} over ${over}`;
}

const sentence = (code) => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ');

const reasons = {
  model_not_allowed: 'Refused: the policy does not grant this model',
  model_not_found: 'There is no such model',
  no_policy: 'Refused: no policy grants anything to this key',
  key_disabled: 'Refused: the key is switched off',
  key_expired: 'Refused: the key has expired',
  key_revoked: 'Refused: the key was revoked',
  client_closed: 'The caller hung up',
  truncated: 'The provider broke off its answer',
  upstream_error: 'The provider answered with an error',
  upstream_unreachable: 'The provider does not answer',
  upstream_unavailable: 'The provider failed',
  upstream_auth: 'The provider does not take its key',
  no_keys: 'No provider key may be used for it',
};

const example = (baseURL) => `export OPENAI_BASE_URL=${baseURL}/v1
export OPENAI_API_KEY=sk-wr-…
curl $OPENAI_BASE_URL/models -H "Authorization: Bearer $OPENAI_API_KEY"`;
