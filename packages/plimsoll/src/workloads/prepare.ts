import type { AnyParameters, Parameters, WorkloadName } from './parameters.js';
import type { ReadyWorkload, RunContext, WorkRound } from './workload.js';

/** A workload as it is sent to the process that runs it. */
export type WorkloadSpec =
  | { readonly kind: 'built-in'; readonly name: WorkloadName; readonly parameters: AnyParameters }
  | {
      readonly kind: 'module';
      readonly url: string;
      readonly operations: number | null;
      readonly scale: number;
    };

/** Only the chosen workload is loaded: what it does not import cannot disturb it. */
const loaders: {
  [Name in WorkloadName]: (parameters: Parameters<Name>, context: RunContext) => Promise<WorkRound>;
} = {
  file: async (parameters, context) => (await import('./file.js')).prepareFile(parameters, context),
  crypto: async (parameters) => (await import('./crypto.js')).prepareCrypto(parameters),
  zlib: async (parameters) => (await import('./zlib.js')).prepareZlib(parameters),
  dns: async (_, context) => (await import('./dns.js')).prepareDns(context),
  mixed: async (parameters, context) => (await import('./mixed.js')).prepareMixed(parameters, context),
};

/** Make a workload ready in the process that will run it. */
export async function prepareWorkload(spec: WorkloadSpec, context: RunContext): Promise<ReadyWorkload> {
  if (spec.kind === 'module') {
    const { prepareModule } = await import('./module.js');
    return prepareModule(spec.url, spec, context);
  }
  const { name, parameters } = spec;
  const round = await loaders[name](parameters as never, context);
  return { operations: parameters.operations, isolated: false, round, close: async () => {} };
}
