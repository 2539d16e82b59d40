// Starts the page: who is signed in sees the console, who is not learns how to
// get in.
import {render} from 'preact';
import {useCallback, useEffect, useState} from 'preact/hooks';
import {html} from './html.js';
import {session, signIn, signOut} from './api.js';
import {Console} from './console.js';
import {SignIn} from './sections/signin.js';
import {takeSecret} from './setuplink.js';

function App() {
  const [place, setPlace] = useState('unknown');
  const [fault, setFault] = useState('');
  const leave = useCallback((text) => {
    setFault(text);
    setPlace('outside');
  }, []);
  const open = useCallback(async (secret) => {
    try {
      await signIn(secret);
      setPlace('inside');
    } catch (error) {
      leave(error.message);
    }
  }, [leave]);
  useEffect(() => {
    const enter = async () => {
      const secret = takeSecret();
      if (secret) return open(secret);
      try {
        setPlace((await session()).signedIn ? 'inside' : 'outside');
      } catch (error) {
        leave(error.message);
      }
    };
    const changed = () => location.hash.startsWith('#setup=') && enter();
    addEventListener('hashchange', changed);
    enter();
    return () => removeEventListener('hashchange', changed);
  }, [open, leave]);
  const ended = useCallback(() => leave('Your session has ended.'), [leave]);
  const out = useCallback(() => signOut().then(() => leave(''), (error) => leave(error.message)), [leave]);
  if (place === 'unknown') return null;
  return place === 'inside' ? html`<${Console} ended=${ended} leave=${out} />` : html`<${SignIn} fault=${fault} open=${open} />`;
}

render(html`<${App} />`, /** @type {HTMLElement} */ (document.getElementById('app')));
