// What is there before somebody is signed in: how to get in.
import {useState} from 'preact/hooks';
import {html} from '../html.js';
import {Command} from '../parts/command.js';
import {secretIn} from '../setuplink.js';

/** @param {{fault: string, open: (secret: string) => void}} props */
export function SignIn({fault, open}) {
  const [text, setText] = useState('');
  const submit = (event) => {
    event.preventDefault();
    if (secretIn(text)) open(secretIn(text));
  };
  return html`<main class="signin">
    <img src="icon.svg" alt="" width="40" height="40" />
    <h1>Sign in to Relay</h1>
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
    <p>A link that opens once signs this browser in. Make one on the machine that runs Relay:</p>
    <${Command} text="relay setup --link" />
    <p>or, when it runs in a container:</p>
    <${Command} text="docker exec relay /relay setup --link" />
    <p>Open the link within 30 minutes. Where this page has another address than the link, paste it here:</p>
    <form onSubmit=${submit}>
      <label for="link">Setup link</label>
      <input id="link" type="text" autocomplete="off" spellcheck=${false} placeholder="http://127.0.0.1:8081/#setup=…" value=${text} onInput=${(e) => setText(e.currentTarget.value)} />
      <button type="submit">Sign in</button>
    </form>
  </main>`;
}
