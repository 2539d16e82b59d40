// The state of the process, its hosts and their keys, and what to mind.
import {html} from '../html.js';
import {count, dollars, span} from '../format.js';
import {Command} from '../parts/command.js';
import {When} from '../parts/when.js';

/** @param {{state: any, day: any[], now: number, fault: Error | null}} props state: without hosts to whom little is told */
export function Status({state, day, now, fault}) {
  return html`<section class="status" aria-label="Status">
    <div class="status-line">
      <h1 class="status-word"><span class="dot" data-state=${fault ? 'bad' : state.ready ? 'good' : 'warn'} /><span role="status">${word(state, fault)}</span></h1>
      <p class="soft">${span(state.uptimeSeconds)} up, version ${state.version}${state.hosts && html`, <${Disk} through=${state.durableThrough} now=${now} />`}</p>
    </div>
    <${Figures} state=${state} day=${day} />
    ${state.inferenceURL && html`<div class="base"><p>Base URL for OpenAI SDKs</p><${Command} text=${state.inferenceURL + '/v1'} /></div>`}
    ${state.warnings.length > 0 && html`<${Warnings} list=${state.warnings} />`}
  </section>`;
}

function word(state, fault) {
  if (fault) return 'Relay does not answer; what follows is its last word';
  return state.ready ? 'Taking requests' : `Takes no requests: ${state.reason}`;
}

const Disk = ({through, now}) => (through ? html`usage on disk as of <${When} at=${through} now=${now} />` : 'no usage on disk yet');

function Figures({state, day}) {
  const sum = (pick) => day.reduce((total, row) => total + pick(row), 0);
  const tokens = sum((row) => row.tokens.input + row.tokens.output + row.tokens.cache_read + row.tokens.cache_creation);
  return html`<dl class="figures">
    ${state.hosts && html`<${Figure} name="in flight" value=${count(state.inFlight)} />`}
    <${Figure} name="requests, 24 h" value=${count(sum((row) => row.requests))} />
    <${Figure} name="of them failed" value=${count(sum((row) => row.errors))} />
    <${Figure} name="tokens, 24 h" value=${count(tokens)} />
    <${Figure} name="cost, 24 h" value=${dollars(sum((row) => row.cost_nanos))} />
  </dl>`;
}

const Figure = ({name, value}) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

const Warnings = ({list}) => html`<div class="warnings"><h2>To mind</h2><ul>
  ${list.map((w) => html`<li>${[w.kind?.replaceAll('-', ' '), w.name].filter(Boolean).join(' ')}${w.field && html` <code>${w.field}</code>`}${(w.kind || w.field) && ': '}${w.message}</li>`)}
</ul></div>`;
