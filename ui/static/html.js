// Markup in templates. Whatever is put into one is text or an element, never
// markup.
import {h} from 'preact';
import htm from 'htm';

export const html = htm.bind(h);
