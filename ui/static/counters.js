// Counters of limits, budgets and caps as they stand now: as they were read, and
// as the live stream has told since.
import {call, Refused} from './api.js';

// More would be asked for than anybody reads.
const most = 20;

/**
 * A cap with what counts for it. identity: of its counter, where that is known;
 * at: when it was read, in milliseconds; per: what it is split by.
 * @typedef {import('./parts/bar.js').Cap & {identity?: string, at?: number, per?: string | string[]}} Cap
 * @typedef {{id: string, owner: string, title: string, of: string, caps: Cap[]}} Group
 * @typedef {{of: string, at: Map<string, number>, groups: Group[], caps: Map<string, Cap[]>}} Counters
 *   of: what it was read for; at: when, by owner; groups of policies, caps by relay key
 */

/** What tells counters apart, in what is read as in what is told. */
export const identity = ({owner, limit, subject, model = '', per = '', meter, window = 0, period = ''}) =>
  JSON.stringify([owner, limit, subject, model, per, meter, window, period]);

/**
 * Reads all counters or, of those that were read before for the same, only what
 * belongs to some owners.
 * @param {{policies: any[] | null, bindings: any[] | null, keys: any[] | null}} records null: not to be read
 * @param {string} of
 * @param {Counters | null} former
 * @param {Set<string>} owners
 * @param {AbortSignal} signal
 * @returns {Promise<Counters>}
 */
export async function readCounters(records, of, former, owners, signal) {
  const some = former?.of === of && owners.size > 0 ? owners : null;
  const mine = (owner) => !some || some.has(owner), now = Date.now();
  const [limits, budgets, caps] = await Promise.all([
    each(limited(records), (policy) => mine(policyOf(policy.metadata.name)), (policy) => limitsOf(policy, signal)),
    each(budgeted(records), ({spec}) => mine(policyOf(spec.policyName)), (binding) => budgetsOf(binding, signal)),
    each(capped(records), (key) => mine(keyOf(key)), (key) => capsOf(key, signal)),
  ]);
  const groups = [...limits.read.flat(), ...budgets.read.flat()], read = new Map(caps.read);
  for (const cap of [...groups.flatMap((group) => group.caps), ...[...read.values()].flat()]) cap.at = now;
  const owned = [...limits.asked.map(({metadata}) => policyOf(metadata.name)), ...budgets.asked.map(({spec}) => policyOf(spec.policyName)), ...caps.asked.map(keyOf)];
  return {
    of, at: new Map([...(some && former?.at) || [], ...owned.map((owner) => /** @type {[string, number]} */ ([owner, now]))]),
    groups: [...(some && former?.groups.filter(({owner}) => !some.has(owner))) || [], ...groups],
    caps: new Map([...(some && former?.caps) || [], ...read]),
  };
}

const policyOf = (name) => `policy ${name}`, keyOf = ({metadata}) => `key ${metadata.name}`;

/** Asks for each of the first that is wanted, and leaves out what is gone since it was listed, or not for this reader. */
async function each(list, wanted, ask) {
  const asked = list.slice(0, most).filter(wanted);
  const answers = await Promise.all(asked.map((item) => ask(item).catch((error) => {
    if (error instanceof Refused && (error.status === 404 || error.status === 403)) return null;
    throw error;
  })));
  return {asked, read: answers.filter((answer) => answer !== null)};
}

const limited = ({policies}) => (policies ?? []).filter(({spec}) => spec.rateLimitId || spec.rlBindings?.length);

const capped = ({keys}) => (keys ?? []).filter(({spec}) => spec.limits || spec.budgets);

function budgeted({policies, bindings}) {
  const withBudgets = new Set((policies ?? []).filter(({spec}) => spec.budgets?.length).map(({metadata}) => metadata.id));
  return (bindings ?? []).filter(({spec}) => withBudgets.has(spec.policyId));
}

/** A group for each subject that counts by itself. */
async function limitsOf(policy, signal) {
  const {rateLimits} = await call(`policies/${policy.metadata.id}/rate-limits`, {signal}), owner = policyOf(policy.metadata.name);
  return rateLimits.flatMap((limit) => {
    const groups = new Map();
    for (const rule of limit.rules) {
      for (const counter of rule.counters.length ? rule.counters : [{}]) {
        const id = [policy.metadata.id, limit.id, counter.subject, counter.model, counter.per].join(' ');
        if (!groups.has(id)) groups.set(id, {id, owner, title: limit.name, of: whose(owner, counter, limit), caps: []});
        groups.get(id).caps.push(limit.enabled ? {...rule, ...counter, identity: identity({...rule, ...counter, owner, limit: limit.name})} : {...rule, used: undefined});
      }
    }
    return [...groups.values()];
  });
}

function whose(owner, {subject, model, per}, {enabled}) {
  const parts = [owner, subject ? account(subject) : 'nobody is under it', model, per];
  return parts.filter(Boolean).join(', ') + (enabled ? '' : ', switched off');
}

const account = (subject) => {
  const [kind, name] = subject.split(':');
  return `${kind.replaceAll('-', ' ')} ${name}`;
};

/** Whose budget counts for an account is not told, so that these have no identity. */
async function budgetsOf({spec}, signal) {
  const {limits} = await call(`accounts/${encodeURIComponent(spec.account)}/effective`, {signal}), owner = policyOf(spec.policyName);
  const caps = limits.filter((limit) => limit.meter === 'cost' && limit.owner === owner).map(cap);
  return caps.length ? [{id: 'budget ' + spec.account, owner, title: 'Budget', of: `${owner}, ${account(spec.accountName)}`, caps}] : [];
}

/** What a key is held against, whatever it asks for: only its own caps. */
async function capsOf(key, signal) {
  const {limits} = await call('explain', {method: 'POST', body: {credential: key.metadata.id, model: '*'}, signal});
  const own = (limit) => ({...cap(limit), identity: limit.per ? undefined : identity({...limit, limit: limit.id, subject: limit.owner})});
  return [key.metadata.id, limits.filter((limit) => limit.scope === 'key').map(own)];
}

const cap = (state) => ({...state, warn: state.warnsOnly});

/**
 * The owners whose counters have to be read again: one was told that was not
 * read; one is full, and only reading tells until when; or some are those of
 * values in requests, such as end users, of which the stream does not tell.
 * @param {Counters | null} read @param {import('./feed.js').Feed} feed @param {number} now
 * @returns {Set<string>}
 */
export function doubted(read, {live, used, standings}, now) {
  if (!read || !live) return new Set();
  const owners = new Set(), known = new Map();
  for (const caps of [...read.groups.map((group) => group.caps), ...read.caps.values()]) for (const cap of caps) known.set(cap.identity, cap);
  for (const {owner, caps} of read.groups) {
    const since = read.at.get(owner) ?? 0;
    if (caps.some(ofValues) && (used >= since || now - since >= slow)) owners.add(owner);
  }
  for (const [id, told] of standings) {
    const cap = known.get(id), since = read.at.get(told.owner);
    if (since !== undefined && told.at >= since && (!cap || told.used >= cap.amount || cap.refuses)) owners.add(told.owner);
  }
  return owners;
}

// How long, in milliseconds, counters that are not told of go unread at most.
const slow = 5000;

/** @param {Cap} cap */
const ofValues = ({per = ''}) => String(per).split(',').some((part) => part !== '' && !/^(team|project|member|key)=/.test(part));

/**
 * Counters as they stand, the fullest groups first.
 * @param {Counters} read @param {Map<string, any>} standings @param {number} now
 */
export function standing({groups, caps}, standings, now) {
  const all = (list) => list.map((cap) => stands(cap, standings.get(cap.identity), now));
  return {
    groups: groups.map((group) => ({...group, caps: all(group.caps)})).sort((a, b) => share(b) - share(a)),
    caps: new Map([...caps].map(([id, list]) => [id, all(list)])),
  };
}

/** @param {Cap} cap @param {any} told since; undefined: nothing @param {number} now */
function stands(cap, told, now) {
  const latest = told && told.at >= (cap.at ?? 0)
    ? {...cap, used: told.used, amount: told.amount, refuses: told.used >= told.amount, resetSeconds: told.resetSeconds, retryAfterSeconds: undefined, at: told.at}
    : cap;
  const passed = Math.max(0, now - latest.at) / 1000; // now is up to a second ago
  const left = (seconds = 0) => Math.max(0, Math.ceil(seconds - passed));
  return {...latest, resetSeconds: left(latest.resetSeconds), retryAfterSeconds: left(latest.retryAfterSeconds)};
}

const share = ({caps}) => Math.max(0, ...caps.map(({used = 0, amount}) => used / amount));
