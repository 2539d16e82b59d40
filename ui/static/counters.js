// Counters of limits, budgets and caps as they stand now.
import {call, Refused} from './api.js';

// More would be asked for every second than anybody reads.
const most = 20;

/** @typedef {import('./parts/bar.js').Cap} Cap */
/** @typedef {{id: string, title: string, of: string, caps: Cap[]}} Group */

/**
 * @param {{policies: any[], bindings: any[], keys: any[]} | null} records
 * @param {AbortSignal} signal
 * @returns {Promise<{groups: Group[], caps: Map<string, Cap[]>} | null>} groups of policies, caps by relay key
 */
export async function readCounters(records, signal) {
  if (!records) return null;
  const [limits, budgets, caps] = await Promise.all([
    each(limited(records.policies), (policy) => limitsOf(policy, signal)),
    each(budgeted(records), (binding) => budgetsOf(binding, signal)),
    each(records.keys.filter(({spec}) => spec.limits || spec.budgets), (key) => capsOf(key, signal)),
  ]);
  return {groups: [...limits.flat(), ...budgets.flat()].sort((a, b) => share(b) - share(a)), caps: new Map(caps)};
}

/** Asks for each, and leaves out what is gone since it was listed. */
async function each(list, ask) {
  const answers = await Promise.all(list.slice(0, most).map((item) => ask(item).catch((error) => {
    if (error instanceof Refused && error.status === 404) return null;
    throw error;
  })));
  return answers.filter((answer) => answer !== null);
}

const limited = (policies) => policies.filter(({spec}) => spec.rateLimitId || spec.rlBindings?.length);

function budgeted({policies, bindings}) {
  const withBudgets = new Set(policies.filter(({spec}) => spec.budgets?.length).map(({metadata}) => metadata.id));
  return bindings.filter(({spec}) => withBudgets.has(spec.policyId));
}

/** A group for each subject that counts by itself. */
async function limitsOf(policy, signal) {
  const {rateLimits} = await call(`policies/${policy.metadata.id}/rate-limits`, {signal});
  return rateLimits.flatMap((limit) => {
    const groups = new Map();
    for (const rule of limit.rules) {
      for (const counter of rule.counters.length ? rule.counters : [{}]) {
        const id = [policy.metadata.id, limit.id, counter.subject, counter.model, counter.per].join(' ');
        if (!groups.has(id)) groups.set(id, {id, title: limit.name, of: whose(policy.metadata.name, counter, limit), caps: []});
        groups.get(id).caps.push(limit.enabled ? {...rule, ...counter} : {...rule, used: undefined});
      }
    }
    return [...groups.values()];
  });
}

function whose(policy, {subject, model, per}, {enabled}) {
  const parts = [`policy ${policy}`, subject ? account(subject) : 'nobody is under it', model, per];
  return parts.filter(Boolean).join(', ') + (enabled ? '' : ', switched off');
}

const account = (subject) => {
  const [kind, name] = subject.split(':');
  return `${kind.replaceAll('-', ' ')} ${name}`;
};

async function budgetsOf({spec}, signal) {
  const {limits} = await call(`accounts/${encodeURIComponent(spec.account)}/effective`, {signal});
  const caps = limits.filter((limit) => limit.meter === 'cost' && limit.owner === `policy ${spec.policyName}`).map(cap);
  return caps.length ? [{id: 'budget ' + spec.account, title: 'Budget', of: `policy ${spec.policyName}, ${account(spec.accountName)}`, caps}] : [];
}

/** What a key is held against, whatever it asks for: only its own caps. */
async function capsOf(key, signal) {
  const {limits} = await call('explain', {method: 'POST', body: {credential: key.metadata.id, model: '*'}, signal});
  return [key.metadata.id, limits.filter((limit) => limit.scope === 'key').map(cap)];
}

const cap = (state) => ({...state, warn: state.warnsOnly});

const share = ({caps}) => Math.max(0, ...caps.map(({used = 0, amount}) => used / amount));
