import type { Environment } from '@plimsoll/lab';
import type { FeatureId } from './features.js';
import type { Answer, Outcome } from './outcome.js';
import type { PoolName } from './pools/pools.js';

/** What the probes of one feature have seen, by pool. */
export interface FeatureResult {
  readonly id: FeatureId;
  readonly pools: Readonly<Record<PoolName, Outcome>>;
}

/** docs/results/pool-features.json */
export interface FeaturesResult {
  readonly schema: 'plimsoll/1';
  readonly kind: 'pool-features';
  readonly checkedAt: string;
  readonly environment: Environment;
  /** Of each library. */
  readonly versions: Readonly<Record<string, string>>;
  readonly features: readonly FeatureResult[];
}

/** What several features are together: partly there as soon as they are not all alike. */
export function together(answers: readonly Answer[]): Answer {
  const [first = 'no'] = answers;
  return answers.every((answer) => answer === first) ? first : 'partly';
}
