// Numbers, money, times and limits as people read them.

const whole = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
const short = new Intl.NumberFormat('en', {notation: 'compact', maximumFractionDigits: 1});

/** @param {number} n */
export const count = (n) => (n < 1e6 ? whole.format(n) : short.format(n));

/** @param {number} n @param {string} noun */
export const counted = (n, noun) => `${count(n)} ${n === 1 ? noun : noun + 's'}`;

/** Nano-dollars: cents, and more decimals only below a dollar. @param {number} nanos */
export function dollars(nanos) {
  const amount = nanos / 1e9;
  if (amount === 0) return '$0';
  if (amount >= 1 || nanos % 1e7 === 0) {
    return '$' + amount.toLocaleString('en', {minimumFractionDigits: 2, maximumFractionDigits: 2});
  }
  return '$' + amount.toFixed(6).replace(/0+$/, '');
}

/** @param {number} ms */
export function duration(ms) {
  if (ms < 1) return '< 1 ms';
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(1)} s`;
  return span(ms / 1000);
}

/** The two largest units. @param {number} seconds */
export function span(seconds) {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return pair(Math.floor(s / 60), 'min', s % 60, 's');
  if (s < 86400) return pair(Math.floor(s / 3600), 'h', Math.floor(s % 3600 / 60), 'min');
  return pair(Math.floor(s / 86400), 'd', Math.floor(s % 86400 / 3600), 'h');
}

const pair = (large, largeUnit, small, smallUnit) => `${large} ${largeUnit}` + (small ? ` ${small} ${smallUnit}` : '');

/** How long ago, in one unit. @param {number} at @param {number} now */
export function ago(at, now) {
  const s = Math.floor((now - at) / 1000);
  if (s < 2) return 'just now';
  if (s < 60) return `${s} s ago`;
  if (s < 3600) return `${Math.floor(s / 60)} min ago`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ago`;
  return `${Math.floor(s / 86400)} d ago`;
}

/** @param {number} at */
export const utc = (at) => new Date(at).toISOString().replace('T', ' ').replace(/\.\d+Z$/, ' UTC');

const windows = new Map([[1, 'a second'], [60, 'a minute'], [3600, 'an hour'], [86400, 'a day']]);
const inAny = new Map([[1, 'in any second'], [60, 'in any minute'], [3600, 'in any hour'], [86400, 'in any 24 hours']]);
const manners = new Map([
  ['fixed-window', ', starting over each time'],
  ['token-bucket', ', filled up steadily'],
  ['leaky-bucket', ', evenly spaced'],
  ['session-window', ', from its first request'],
]);

/** What a meter counts. @param {string} meter */
export function unit(meter) {
  if (meter === 'concurrency') return 'requests at once';
  const part = meter.startsWith('tokens.') ? meter.slice(7).replaceAll('_', ' ') + ' tokens' : meter;
  return part === 'cost' ? '' : part;
}

/** What a rule allows besides its amount. @param {{meter: string, window?: number, strategy?: string}} rule */
export function allowance({meter, window = 0, strategy = ''}) {
  if (meter === 'concurrency') return unit(meter);
  const length = strategy === 'sliding-window'
    ? inAny.get(window) ?? `in any ${span(window)}`
    : windows.get(window) ?? `in ${span(window)}`;
  return `${unit(meter)} ${length}${manners.get(strategy) ?? ''}`;
}

/** @param {string} [name] */
export const period = (name) => (name === 'total' ? 'in all' : `a ${name}`);

/** @type {[string, string, number][]} */
const shorthands = [
  ['rps', 'requests', 1], ['rpm', 'requests', 60], ['rph', 'requests', 3600], ['rpd', 'requests', 86400],
  ['tpm', 'tokens', 60], ['tpd', 'tokens', 86400], ['concurrency', 'concurrency', 0],
];

/**
 * The caps that a record carries itself.
 * @param {{limits?: any, budgets?: any[]}} spec
 * @returns {import('./parts/bar.js').Cap[]}
 */
export function capsOf({limits = {}, budgets = []}) {
  return [
    ...shorthands.filter(([name]) => limits[name] != null)
      .map(([name, meter, window]) => ({meter, amount: limits[name], window, strategy: 'sliding-window'})),
    ...budgets.map((b) => ({meter: 'cost', amount: Number(b.amount) * 1e9, period: b.period, warn: b.onExceed === 'warn'})),
  ];
}
