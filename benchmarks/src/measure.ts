import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Environment, Guardian, interruptSignal, ProgressLine } from '@plimsoll/lab';
import { analyse } from './analyse.js';
import type { Case } from './cases/case.js';
import { installedVersions } from './common/versions.js';
import { CONTENDERS } from './contenders/contenders.js';
import { type Plan, runCase } from './experiment.js';
import { Progress } from './progress.js';
import type { BenchPoolResult, CaseResult } from './result.js';

/** What is measured on one node. */
export interface Order extends Omit<Plan, 'case'> {
  readonly cases: readonly Case[];
}

/**
 * Measure one order after another, each as soon as the one before it is taken; after an interrupt no other follows.
 *
 * @param show of each case, once it is measured.
 * @throws what stopped a case; whatever was started has ended then.
 */
export async function* measureOrders(
  orders: readonly Order[],
  show: (result: CaseResult) => void,
): AsyncGenerator<BenchPoolResult, void> {
  const line = new ProgressLine(process.stderr, false);
  const progress = new Progress(orders);
  const interrupt = interruptSignal();
  const guardian = new Guardian();
  const measure = async (one: Case, order: Order): Promise<CaseResult> => {
    const startedAt = new Date();
    const plan = { ...order, case: one };
    const outcome = await runCase(plan, guardian, interrupt.signal, (contender, block) => {
      progress.runDone(one, order.effort);
      line.show(`${one.name} ${block}`, (width) =>
        progress.text(`${one.name}: block ${block + 1}, ${contender}`, width),
      );
    });
    if (outcome.error !== undefined && !interrupt.signal.aborted) throw outcome.error;
    return analyse(plan, outcome, startedAt);
  };
  try {
    for (const order of orders) {
      const environment = environmentOf(order.node);
      const cases: CaseResult[] = [];
      for (const one of order.cases) {
        const result = await measure(one, order);
        line.clear();
        if (result.blocks > 0) {
          cases.push(result);
          show(result);
        }
        if (interrupt.signal.aborted) break;
      }
      const interrupted = interrupt.signal.aborted;
      const versions = contenderVersions();
      yield { schema: 'plimsoll/1', kind: 'bench-pool', environment, versions, interrupted, cases };
      if (interrupted) return;
    }
  } finally {
    line.clear();
    await guardian.close();
    interrupt.dispose();
  }
}

function environmentOf(node: string): Environment {
  const entry = fileURLToPath(new URL('./child/environment.js', import.meta.url));
  return JSON.parse(execFileSync(node, [entry], { encoding: 'utf8' })) as Environment;
}

/** Of the contenders' packages as installed; the code of ours changes between releases. */
function contenderVersions(): Record<string, string> {
  const libraries = new Set(Object.values(CONTENDERS).flatMap(({ library }) => library ?? []));
  return installedVersions([...libraries], (name) => import.meta.resolve(name), [
    CONTENDERS.plimsoll.library,
  ]);
}

/** 0 measured, 4 our own pool failed, 130 interrupted. */
export function exitCodeOf({ interrupted, cases }: BenchPoolResult): number {
  if (interrupted) return 130;
  const failed = cases.some(({ rows }) =>
    rows.some(({ contender, without }) => contender === 'plimsoll' && without !== null),
  );
  return failed ? 4 : 0;
}
