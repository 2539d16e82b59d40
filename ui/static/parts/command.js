// A command to paste, with a button that copies it.
import {useState} from 'preact/hooks';
import {html} from '../html.js';

/** @param {{text: string, label?: string}} props */
export function Command({text, label = 'Copy'}) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return html`<div class="command">
    <pre tabindex="0"><code>${text.split(/(\s+)/).map((word, i) => (i % 2 ? word : html`<span>${word}</span>`))}</code></pre>
    ${navigator.clipboard && html`<button type="button" onClick=${copy} aria-live="polite">${copied ? 'Copied' : label}</button>`}
  </div>`;
}
