// Starts the page: who is signed in sees the console, who is not signs in or,
// with a setup link, becomes the first user.
import {render} from 'preact';
import {useCallback, useEffect, useState} from 'preact/hooks';
import {html} from './html.js';
import {session, signOut} from './api.js';
import {Console} from './console.js';
import {SetUp} from './sections/setup.js';
import {SignIn} from './sections/signin.js';
import {takeFault, takeSecret} from './setuplink.js';

function App() {
  const [place, setPlace] = useState('unknown');
  const [known, setKnown] = useState(false); // there is a user already
  const [provider, setProvider] = useState(false); // one may sign in elsewhere
  const [secret, setSecret] = useState('');
  const [fault, setFault] = useState('');
  const leave = useCallback((text) => {
    setFault(text);
    setPlace('outside');
  }, []);
  const enter = useCallback(async () => {
    const taken = takeSecret(), failed = takeFault();
    try {
      const {signedIn, setUp, oidc} = await session();
      setKnown(setUp);
      setProvider(Boolean(oidc));
      if (failed) setFault(failed);
      setSecret(setUp ? '' : taken);
      setPlace(signedIn && (setUp || !taken) ? 'inside' : 'outside');
      if (setUp && taken && !signedIn) setFault('This Relay is set up already, and the link does not work any more.');
    } catch (error) {
      leave(error.message);
    }
  }, [leave]);
  useEffect(() => {
    const changed = () => /^#(setup|sign-in)=/.test(location.hash) && enter();
    addEventListener('hashchange', changed);
    enter();
    return () => removeEventListener('hashchange', changed);
  }, [enter]);
  const entered = useCallback(() => {
    setSecret('');
    setFault('');
    setKnown(true);
    setPlace('inside');
  }, []);
  const ended = useCallback(() => leave('Your session has ended.'), [leave]);
  const out = useCallback(() => signOut().then(() => leave(''), (error) => leave(error.message)), [leave]);
  if (place === 'unknown') return null;
  if (place === 'inside') return html`<${Console} ended=${ended} leave=${out} />`;
  if (secret) return html`<${SetUp} secret=${secret} entered=${entered} />`;
  return html`<${SignIn} known=${known} provider=${provider} fault=${fault} entered=${entered} link=${setSecret} />`;
}

render(html`<${App} />`, /** @type {HTMLElement} */ (document.getElementById('app')));
