// What the live stream has told since it began, put together.
import {useCallback, useEffect, useReducer, useRef} from 'preact/hooks';
import {follow} from './live.js';
import {identity} from './counters.js';

// Nobody reads more than a page of events, nor more counters than a page shows.
const mostEvents = 50, mostStandings = 2000;

/**
 * @typedef {object} Feed
 * @property {boolean} live what is told is the whole truth: nothing needs to be asked for again and again
 * @property {any[]} events newest first
 * @property {number} used when events were last told; 0: never
 * @property {number} gaps times that events were left out
 * @property {Map<string, any>} standings what counters were last told to stand at, by identity; at: when
 * @property {{hosts: any, hostKeys: any} | null} states by id
 */

/** @type {Feed} */
const silence = {live: false, events: [], used: 0, gaps: 0, standings: new Map(), states: null};

/** @returns {{feed: Feed, close: () => void}} */
export function useFeed() {
  const [feed, tell] = useReducer(heard, silence), stop = useRef(() => {});
  useEffect(() => {
    stop.current = follow({told: (topic, data) => tell({topic, data, at: Date.now()}), lost: () => tell(null)});
    return stop.current;
  }, []);
  return {feed, close: useCallback(() => stop.current(), [])};
}

/** @param {Feed} feed @param {{topic: import('./live.js').Topic, data: any, at: number} | null} event null: the stream is lost */
function heard(feed, event) {
  switch (event?.topic) {
    case 'usage': return {...feed, events: [...event.data.items.toReversed(), ...feed.events].slice(0, mostEvents), used: event.at, gaps: feed.gaps + (event.data.missed ? 1 : 0)};
    case 'limits': return {...feed, standings: stood(feed.standings, event.data.items, event.at)};
    // The last of the events that tell how all stood at the beginning.
    case 'hosts': return {...feed, live: true, states: event.data};
  }
  return silence;
}

/** Those that were told last are kept. */
function stood(standings, items, at) {
  const all = new Map(standings);
  for (const item of items) {
    all.delete(identity(item));
    all.set(identity(item), {...item, at});
  }
  for (const id of all.keys()) {
    if (all.size <= mostStandings) break;
    all.delete(id);
  }
  return all;
}

/**
 * A page of events with those on top that were told since it was read. An id
 * may be the caller's, and used twice.
 * @param {any[]} page newest first @param {any[]} told
 */
export function withTold(page, told) {
  const name = (event) => event.request_id + ' ' + event.ts, known = new Set(told.map(name));
  const all = [...told, ...page.filter((event) => !known.has(name(event)))];
  return all.sort((a, b) => Date.parse(b.ts) - Date.parse(a.ts)).slice(0, mostEvents);
}
