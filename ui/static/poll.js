// Reading again, while somebody looks.
import {useEffect, useRef, useState} from 'preact/hooks';

// What fails is tried again later each time, up to so many seconds.
const longest = 10;

/** @template T @typedef {{value: T | null, error: Error | null}} Read */

/**
 * Loads now, every so many seconds after the last answer (0: never), and
 * whenever when becomes another, after a pause of so many seconds since it last
 * began. It waits while the page is hidden. The last answer stays when a later
 * one fails.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {{every: number, when?: any, pause?: number}} manner
 * @returns {Read<T>}
 */
export function useRead(load, {every, when, pause = 0}) {
  const [state, setState] = useState(/** @type {Read<T>} */ ({value: null, error: null}));
  const latest = useRef(load), ask = useRef(() => {}), former = useRef(when);
  latest.current = load;
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0, busy = false, asked = false, began = 0, failures = 0;
    const round = async () => {
      [busy, asked, began] = [true, false, Date.now()];
      try {
        const value = await latest.current(stop.signal);
        if (!stop.signal.aborted) setState({value, error: null});
        failures = 0;
      } catch (error) {
        if (!stop.signal.aborted) setState((last) => ({value: last.value, error}));
        failures++;
      }
      busy = false;
      plan();
    };
    const plan = () => {
      clearTimeout(timer);
      if (stop.signal.aborted || busy) return;
      if (failures) timer = setTimeout(next, Math.min((every || 1) * 2 ** (failures - 1), longest) * 1000);
      else if (asked) timer = setTimeout(next, began + pause * 1000 - Date.now());
      else if (every) timer = setTimeout(next, every * 1000);
    };
    const next = () => {
      if (document.visibilityState === 'visible' && !busy) round();
    };
    const seen = () => {
      clearTimeout(timer);
      next();
    };
    ask.current = () => {
      asked = true;
      plan();
    };
    document.addEventListener('visibilitychange', seen);
    next();
    return () => {
      stop.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [every]);
  useEffect(() => {
    if (former.current !== when) ask.current();
    former.current = when;
  }, [when]);
  return state;
}

/** The time, once a second. */
export function useNow() {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
