// What is there before somebody is signed in: a password, or how to make the
// first user.
import {useState} from 'preact/hooks';
import {html} from '../html.js';
import {signIn} from '../api.js';
import {Command} from '../parts/command.js';
import {Credentials} from '../parts/credentials.js';
import {secretIn} from '../setuplink.js';

/** @param {{known: boolean, provider: boolean, fault: string, entered: () => void, link: (secret: string) => void}} props */
export function SignIn({known, provider, fault, entered, link}) {
  return html`<main class="signin">
    <img src="icon.svg" alt="" width="40" height="40" />
    <h1>Sign in to Relay</h1>
    ${provider && html`<p><a class="provider" href="api/auth/oidc/login">Sign in with your organization's account</a></p>`}
    ${known || provider
      ? html`<${Credentials} action="Sign in" fault=${fault} complete="current-password" send=${signIn} done=${entered} />
        <p class="hint">No password any more? On the machine that runs Relay:</p>
        <${Command} text="relay user password NAME" />`
      : html`<${FirstUser} fault=${fault} link=${link} />`}
  </main>`;
}

function FirstUser({fault, link}) {
  const [text, setText] = useState('');
  const submit = (event) => {
    event.preventDefault();
    if (secretIn(text)) link(secretIn(text));
  };
  return html`
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
    <p>Nobody can sign in yet. A link that opens once makes the first user. Make one on the machine that runs Relay:</p>
    <${Command} text="relay setup --link" />
    <p>or, when it runs in a container:</p>
    <${Command} text="docker exec relay /relay setup --link" />
    <p>Open the link within 30 minutes. Where this page has another address than the link, paste it here:</p>
    <form onSubmit=${submit}>
      <label for="link">Setup link</label>
      <input id="link" type="text" autocomplete="off" spellcheck=${false} placeholder="http://127.0.0.1:8081/#setup=…" value=${text} onInput=${(e) => setText(e.currentTarget.value)} />
      <button type="submit">Go on</button>
    </form>`;
}
