// The name by which the command line knows a record, and the one for people.
import {html} from '../html.js';

/** @param {{metadata: {name: string, displayName?: string}}} props */
export const Title = ({metadata: {name, displayName}}) => html`<b>${name}</b>${displayName && html` <span class="soft">${displayName}</span>`}`;
