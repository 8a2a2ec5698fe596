import type { Command } from './command.js';
import type { Study } from './study.js';

/** Those of worker pools, in the order of the article that they repeat. */
export const POOL_STUDIES = ['scrypt', 'react', 'backpressure', 'pressure', 'transfer'];

/** Every study by its name. Only one that runs is loaded: to load them all takes longer than many a command. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  scrypt: async () => ofPools((await import('../scrypt/study.js')).scrypt),
  react: async () => ofPools((await import('../react/study.js')).react),
  backpressure: async () => ofPools((await import('../backpressure/study.js')).backpressure),
  pressure: async () => ofPools((await import('../pressure/study.js')).pressure),
  transfer: async () => ofPools((await import('../transfer/study.js')).transfer),
  fleet: async () => ofPools((await import('../fleet/study.js')).fleet),
  bench: async () => (await import('../bench/study.js')).benchStudy,
  timeline: async () => (await import('../timeline/study.js')).timelineStudy,
  classify: async () => (await import('../classify/study.js')).classifyStudy,
  folklore: async () => (await import('../folklore/study.js')).folklore,
  load: async () => (await import('../load/study.js')).loadStudy,
  trace: async () => (await import('../trace-cost/study.js')).traceCost,
  waiting: async () => (await import('../waiting/study.js')).waitingStudy,
  monitor: async () => (await import('../monitor/study.js')).monitorStudy,
  rescue: async () => (await import('../rescue/study.js')).rescueStudy,
  tune: async () => (await import('../tune/study.js')).tuneStudy,
  validity: async () => (await import('../validity/study.js')).validity,
  adopters: async () => ofPools((await import('../adopters/study.js')).adopters),
};

async function ofPools(study: Study): Promise<Command> {
  const { poolStudy } = await import('./pool-study.js');
  return poolStudy(study);
}
