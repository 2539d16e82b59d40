// Limits of policies, with what is used of them now.
import {html} from '../html.js';
import {Bar} from '../parts/bar.js';
import {Empty, Section} from '../parts/section.js';

/**
 * @param {{groups: import('../counters.js').Group[] | null, error: Error | null}} props
 */
export function Limits({groups, error}) {
  if (!groups) return html`<${Section} id="limits" title="Limits" error=${error} />`;
  return html`<${Section} id="limits" title="Limits" note=${groups.length > 0 && 'Limits and budgets of policies, as they stand this second.'} error=${error}>
    ${groups.length === 0
      ? html`<${Empty} says="No policy has a limit. A key can have caps of its own:" command="relay key edit first --rpm 60 --concurrency 5 --budget 5/day" />`
      : html`<ul class="limits">${groups.map((group) => html`<li key=${group.id} class="limit">
          <p class="limit-name"><b>${group.title}</b> <span class="soft">${group.of}</span></p>
          ${group.caps.map((cap) => html`<${Bar} cap=${cap} />`)}
        </li>`)}</ul>`}
  <//>`;
}
