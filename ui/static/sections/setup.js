// The first user: a name and a password, with the secret of a setup link.
import {useCallback} from 'preact/hooks';
import {html} from '../html.js';
import {setUp} from '../api.js';
import {Credentials} from '../parts/credentials.js';

/** @param {{secret: string, entered: () => void}} props */
export function SetUp({secret, entered}) {
  const send = useCallback((username, password) => setUp(secret, username, password), [secret]);
  return html`<main class="signin">
    <img src="icon.svg" alt="" width="40" height="40" />
    <h1>Set up Relay</h1>
    <p>Choose the name and the password that you will sign in with. You may do everything; others can be added later.</p>
    <${Credentials} action="Make the first user" complete="new-password" send=${send} done=${entered} />
  </main>`;
}
