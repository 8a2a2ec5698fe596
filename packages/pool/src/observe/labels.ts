import { underscored } from '../../../monitor/dist/metrics/family.js';
import { badRange, badType } from '../errors.js';
import { ATTRIBUTES } from './families.js';

/** Options of `prometheusMetrics()`. */
export interface MetricsOptions {
  /** Labels of every sample, to tell pools apart: `{ pool: 'images' }`. Default: none. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
/** Labels that the pool itself gives. */
const TAKEN = ['le', ...ATTRIBUTES.map(underscored)];

/** @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION for labels that cannot be */
export function labelsOf(options: MetricsOptions): Readonly<Record<string, string>> {
  if (typeof options !== 'object' || options === null) throw badType('options', options, 'an object');
  const { labels = {} } = Object.assign(Object.create(null), options) as MetricsOptions;
  if (typeof labels !== 'object' || labels === null) throw badType('options.labels', labels, 'an object');
  for (const [name, value] of Object.entries(labels)) {
    if (typeof value !== 'string') throw badType(`options.labels.${name}`, value, 'a string');
    if (!LABEL.test(name) || name.startsWith('__') || TAKEN.includes(name)) {
      throw badRange('a name in options.labels', name, `a label's name, and none of ${TAKEN.join(', ')}`);
    }
  }
  return labels;
}
