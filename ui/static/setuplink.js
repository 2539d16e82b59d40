// What the server puts behind the address of the page: the secret of a setup
// link, which is in the address bar for a moment, and what became of a sign-in at
// an identity provider.

const mark = '#setup=';

/** Takes the secret out of the address bar and of the tab's history. */
export function takeSecret() {
  if (!location.hash.startsWith(mark)) return '';
  const secret = location.hash.slice(mark.length);
  history.replaceState(null, '', location.pathname);
  return secret;
}

/** @param {string} text a link, or its secret alone */
export function secretIn(text) {
  const at = text.indexOf(mark);
  return (at < 0 ? text : text.slice(at + mark.length)).trim();
}

const faults = {
  expired: 'That sign-in was not begun in this browser, or too long ago. Begin it again.',
  denied: 'The identity provider has not let you in.',
  closed: 'You are no user of this Relay. Ask an administrator to add you.',
  disabled: 'Your user is disabled. Ask an administrator.',
  unavailable: 'The identity provider cannot be reached just now. Try again shortly.',
};

/** Takes what went wrong out of the address bar, in words; '' when nothing did. */
export function takeFault() {
  const [, code] = location.hash.match(/^#sign-in=([a-z]+)$/) ?? [];
  if (!code) return '';
  history.replaceState(null, '', location.pathname);
  return faults[code] ?? 'That sign-in has failed.';
}
