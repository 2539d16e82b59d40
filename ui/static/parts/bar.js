// How much of a cap is used, in words and as a bar.
import {html} from '../html.js';
import {allowance, count, dollars, period, span} from '../format.js';

/**
 * @typedef {{meter: string, amount: number, window?: number, strategy?: string, period?: string, warn?: boolean,
 *   used?: number, refuses?: boolean, resetSeconds?: number, retryAfterSeconds?: number}} Cap
 */

/** @param {{cap: Cap}} props */
export function Bar({cap}) {
  const {used = 0} = cap, known = cap.used != null;
  const share = Math.min(1, used / cap.amount);
  const full = cap.refuses ?? share >= 1;
  const level = full ? 'full' : share >= 0.8 ? 'near' : 'calm';
  const said = words(cap);
  return html`<div class="cap" data-level=${level}>
    <p class="cap-words"><span>${known && html`<b>${figure(cap, used)}</b> of `}<b>${figure(cap, cap.amount)}</b> ${said}</span>
      <span class="cap-room">${known && room(cap, full)}</span></p>
    ${known && html`<div class="bar" role="meter" aria-label=${said} aria-valuemin="0" aria-valuemax=${cap.amount} aria-valuenow=${Math.min(used, cap.amount)}
      aria-valuetext=${`${figure(cap, used)} of ${figure(cap, cap.amount)}`}><div class="bar-fill" style=${{width: `${share * 100}%`}} /></div>`}
  </div>`;
}

const figure = (cap, n) => (cap.meter === 'cost' ? dollars(n) : count(n));

const words = (cap) => (cap.meter === 'cost' ? period(cap.period) : allowance(cap)) + (cap.warn ? ', warns only' : '');

/** When there is room again, or when the count is 0 by itself. @param {Cap} cap @param {boolean} full */
function room({retryAfterSeconds = 0, resetSeconds = 0}, full) {
  if (full && retryAfterSeconds > 0) return `full, room in ${span(retryAfterSeconds)}`;
  const empty = resetSeconds > 0 ? `empty again in ${span(resetSeconds)}` : '';
  return full ? ['full', empty].filter(Boolean).join(', ') : empty;
}
