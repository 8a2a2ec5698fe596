import type { Parameters, WorkloadName } from './parameters.js';
import type { ReadyWorkload, RunContext } from './workload.js';

/** A workload as it is sent to the process that runs it. */
export type WorkloadSpec =
  | { readonly kind: 'built-in'; readonly name: WorkloadName; readonly parameters: Parameters<WorkloadName> }
  | {
      readonly kind: 'module';
      readonly url: string;
      readonly operations: number | null;
      readonly scale: number;
    };

/** Prepare a workload in the process that runs it. It loads nothing that a module could meet. */
export async function prepareWorkload(spec: WorkloadSpec, context: RunContext): Promise<ReadyWorkload> {
  if (spec.kind === 'module') return (await import('./module.js')).prepareModule(spec.url, spec, context);
  const { name, parameters } = spec;
  const { prepareRound } = await import('./built-in.js');
  const round = prepareRound[name](parameters as never, context);
  return { operations: parameters.operations, isolated: false, round, close: async () => {} };
}
