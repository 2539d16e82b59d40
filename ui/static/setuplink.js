// The secret of a setup link: in the address bar for a moment, and in what
// somebody pastes.

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
