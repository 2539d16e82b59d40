// Reading again and again, while somebody looks.
import {useEffect, useRef, useState} from 'preact/hooks';

/**
 * Loads now and then every so many seconds after the last answer, while the
 * page is visible. The last answer stays when a later one fails.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {number} seconds
 * @returns {{value: T | null, error: Error | null}}
 */
export function usePolled(load, seconds) {
  const [state, setState] = useState(/** @type {{value: T | null, error: Error | null}} */ ({value: null, error: null}));
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0, busy = false;
    const round = async () => {
      busy = true;
      try {
        const value = await latest.current(stop.signal);
        if (!stop.signal.aborted) setState({value, error: null});
      } catch (error) {
        if (!stop.signal.aborted) setState((former) => ({value: former.value, error}));
      }
      busy = false;
      if (!stop.signal.aborted) timer = setTimeout(next, seconds * 1000);
    };
    const next = () => {
      if (document.visibilityState === 'visible' && !busy) round();
    };
    const seen = () => {
      clearTimeout(timer);
      next();
    };
    document.addEventListener('visibilitychange', seen);
    round();
    return () => {
      stop.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [seconds]);
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
