// The process of one probe: `child.js POOL FEATURE`. It sends its outcome, and is killed for it.
import './channels.js';
import type { FeatureId } from './features.js';
import type { Outcome } from './outcome.js';
import { POOLS, type PoolName } from './pools/pools.js';

const [pool, feature] = process.argv.slice(2) as [PoolName, FeatureId];

const send = (message: { outcome?: Outcome; error?: string }): void => void process.send?.(message);

// A pool whose worker dies may throw where nobody can catch it; the probe goes on and sees what came of it.
process.on('uncaughtException', () => {});
// A pool may keep nothing alive while a probe waits for it.
setInterval(() => {}, 1000);
try {
  const { probes } = await POOLS[pool].load();
  send({ outcome: await probes[feature]() });
} catch (error) {
  send({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}
