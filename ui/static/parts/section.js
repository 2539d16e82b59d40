// A part of the page under a heading, with what to do when it is empty.
import {html} from '../html.js';
import {Command} from './command.js';

/** @param {{id: string, title: string, note?: any, error?: Error | null, children?: any}} props */
export function Section({id, title, note, error, children}) {
  return html`<section id=${id} aria-labelledby=${id + '-title'}>
    <header class="section-head"><h2 id=${id + '-title'}>${title}</h2><p>${note}</p></header>
    ${error && html`<p class="fault" role="alert">${error.message}</p>`}
    ${children}
  </section>`;
}

/** @param {{says: string, command: string}} props */
export const Empty = ({says, command}) => html`<div class="empty"><p>${says}</p><${Command} text=${command} /></div>`;
