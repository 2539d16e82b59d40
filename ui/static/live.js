// What the server tells of itself, as one stream for the whole tab.

/** @typedef {'usage' | 'limits' | 'hosts'} Topic */

/** @type {Topic[]} */
const topics = ['usage', 'limits', 'hosts'];

// A stream that breaks is asked for again, later each time, up to a minute. One
// that has lasted is forgiven.
const least = 1000, most = 60000, steady = 5000;

/**
 * Holds one stream open while the page is visible, and tells each event. Where
 * the stream is refused or breaks, and in a hidden page, it is lost until the
 * next event.
 * @param {{told: (topic: Topic, data: any) => void, lost: () => void}} to
 * @returns {() => void} closes it for good
 */
export function follow({told, lost}) {
  let source = /** @type {EventSource | null} */ (null), timer = 0, wait = least, began = 0;
  const stop = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const close = () => {
    if (source) lost();
    stop();
  };
  const open = () => {
    if (source || document.visibilityState !== 'visible') return;
    clearTimeout(timer);
    began = Date.now();
    source = new EventSource('api/live?topics=' + topics.join());
    for (const topic of topics) source.addEventListener(topic, (event) => told(topic, JSON.parse(event.data)));
    source.addEventListener('end', again);
    source.addEventListener('error', again);
  };
  const again = () => {
    close();
    if (Date.now() - began >= steady) wait = least;
    timer = setTimeout(open, wait * (0.75 + Math.random() / 4));
    wait = Math.min(wait * 2, most);
  };
  const seen = () => (document.visibilityState === 'visible' ? open() : close());
  document.addEventListener('visibilitychange', seen);
  addEventListener('pagehide', close);
  addEventListener('pageshow', open);
  open();
  return () => {
    document.removeEventListener('visibilitychange', seen);
    removeEventListener('pagehide', close);
    removeEventListener('pageshow', open);
    stop();
  };
}
