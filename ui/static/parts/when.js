// A time: how long ago, with the moment in UTC on hover.
import {html} from '../html.js';
import {ago, utc} from '../format.js';

/** @param {{at: string, now: number}} props */
export function When({at, now}) {
  const ms = Date.parse(at);
  return html`<time datetime=${at} title=${utc(ms)}>${ago(ms, now)}</time>`;
}
