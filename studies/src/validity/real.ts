import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type BenchResult, bench } from 'plimsoll';
import type { LifeCycle } from '../common/command.js';
import type { ModePair, RealSuite } from './result.js';

const WORK = fileURLToPath(new URL('./work.js', import.meta.url));
const BURNER = fileURLToPath(new URL('./burner.js', import.meta.url));

/** Some work beside processes that are busy, always or by turns; beside nothing when there are to be none. */
export async function beside<Result>(
  { guardian }: LifeCycle,
  busy: { readonly burners: number; readonly isAlways: boolean } | null,
  work: () => Promise<Result>,
): Promise<Result> {
  const burners = Array.from({ length: busy?.burners ?? 0 }, () =>
    fork(BURNER, busy?.isAlways ? ['always'] : [], { detached: true }),
  );
  for (const { pid } of burners) if (pid !== undefined) guardian.watch(pid);
  try {
    return await work();
  } finally {
    for (const burner of burners) {
      burner.kill('SIGKILL');
      if (burner.exitCode === null && burner.signalCode === null) await once(burner, 'exit');
      if (burner.pid !== undefined) guardian.forget(burner.pid);
    }
  }
}

/** One suite of work in which nothing differs between sizes but what is planted at size 16. */
export async function realSuite(
  planted: number,
  isDisturbed: boolean,
  timeMs: number,
  signal: AbortSignal,
): Promise<RealSuite> {
  process.env.PLANTED = String(planted);
  try {
    const result = await bench({ workloads: [WORK], sizes: [4, 8, 16], timeMs }, { signal });
    signal.throwIfAborted();
    return outcome(result, planted, isDisturbed);
  } finally {
    delete process.env.PLANTED;
  }
}

function outcome({ workloads }: BenchResult, planted: number, isDisturbed: boolean): RealSuite {
  const [workload] = workloads;
  const of = (size: number) => workload?.sizes.find((one) => one.size === size);
  const [eight, sixteen] = [of(8), of(16)];
  if (workload?.method == null || eight === undefined || sixteen === undefined)
    throw new Error(`a suite failed: ${workload?.failure?.message ?? 'a size was lost'}`);
  const { generations, seconds, stop } = workload.method;
  return {
    planted,
    isDisturbed,
    verdict: sixteen.verdict,
    otherVerdict: eight.verdict,
    ratio: sixteen.ratio,
    interval: sixteen.interval,
    noisy: workload.noise?.noisy ?? false,
    recommended: workload.recommended,
    ...{ generations, seconds, stop },
  };
}

/** All workloads at 2, 4 and 8 threads, by one process of all sizes and by one process at a time, for the same time. */
export async function modes(isDisturbed: boolean, timeMs: number, signal: AbortSignal): Promise<ModePair[]> {
  const options = { sizes: [2, 4, 8], timeMs };
  const resized = await bench(options, { signal });
  const isolated = await bench({ ...options, isolated: true, blocks: 100 }, { signal });
  signal.throwIfAborted();
  return resized.workloads.flatMap(({ name, sizes }) => {
    const other = isolated.workloads.find((workload) => workload.name === name);
    return sizes.flatMap(({ size, ratio, interval }): ModePair[] => {
      const twice = other?.sizes.find((one) => one.size === size);
      if (size === 4 || twice === undefined) return [];
      return [
        {
          workload: name,
          size,
          isDisturbed,
          resized: { ratio, interval },
          isolated: { ratio: twice.ratio, interval: twice.interval },
        },
      ];
    });
  });
}
