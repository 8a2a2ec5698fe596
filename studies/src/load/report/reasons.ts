import { change, factual, formatMs, list, percent, type Texts } from '@plimsoll/lab';
import type { LoadReason, RankedTable } from '../recommend.js';
import type { LoadRecommendation } from '../result.js';

/** A recommendation with its reasons in words. */
export function loadRecommendation({ reasons: facts, ...ranked }: RankedTable): LoadRecommendation {
  const reasons = facts.map((fact) => factual(fact, TEXTS));
  return { ...ranked, because: reasons.map(({ text }) => text).join('; '), reasons };
}

const TEXTS: Texts<LoadReason> = {
  'load.generator-bound': ({ sizes }) =>
    `the client itself was too busy or too late at ${list(sizes)}: lower the rate, or load from another machine`,
  'load.baseline-failed': ({ sizes }) => `requests failed at ${list(sizes)}, the baseline among them`,
  'load.size-not-applied': ({ threads }) =>
    `${list(threads)} threads were counted at every size: something in the server sets UV_THREADPOOL_SIZE itself`,
  'load.noisy': () => 'too noisy: two measurements of the baseline differ',
  'load.against-baseline': ({ ratio, baseline }) => `${change(ratio)} time against ${baseline}`,
  'load.as-fast': ({ sizes, isProven }) =>
    `${list(sizes)} ${isProven ? `${sizes.length === 1 ? 'is' : 'are'} no better` : 'cannot be told apart from it'}`,
  'load.higher-bystander-latency': ({ sizes, p99Ms, insteadOfP99Ms }) =>
    `${list(sizes)} ${sizes.length === 1 ? 'is' : 'are'} no faster, and the bystander waits up to ${formatMs(p99Ms)} (p99) instead of ${formatMs(insteadOfP99Ms)}`,
  'load.failing-sizes': ({ sizes }) =>
    `requests failed at ${list(sizes)}, which ${sizes.length === 1 ? 'is' : 'are'} therefore out`,
  'load.chance-slower': ({ chance }) =>
    `a chance of ${percent(chance)} % that it is more than 5 % slower than the best`,
  'load.fastest': () => 'the fastest',
};
