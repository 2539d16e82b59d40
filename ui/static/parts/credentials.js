// A name and a password, and what is wrong with them.
import {useState} from 'preact/hooks';
import {html} from '../html.js';

/**
 * @param {{action: string, fault?: string, complete: string,
 *   send: (username: string, password: string) => Promise<any>, done: () => void}} props
 */
export function Credentials({action, fault = '', complete, send, done}) {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [refusal, setRefusal] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await send(username.trim(), password);
      done();
    } catch (error) {
      setRefusal(error.message);
      setBusy(false);
    }
  };
  const told = refusal || fault;
  return html`<form class="credentials" onSubmit=${submit}>
    ${told && html`<p class="fault" role="alert">${told}</p>`}
    <label for="username">Username</label>
    <input id="username" type="text" autocomplete="username" autocapitalize="none" spellcheck=${false} required value=${username} onInput=${(e) => setUsername(e.currentTarget.value)} />
    <label for="password">Password</label>
    <input id="password" type="password" autocomplete=${complete} required value=${password} onInput=${(e) => setPassword(e.currentTarget.value)} />
    <button type="submit" disabled=${busy}>${action}</button>
  </form>`;
}
