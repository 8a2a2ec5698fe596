import { doctor } from '../api/doctor.js';
import type { TypedOptions } from '../api/options.js';
import { diagnosisDocument } from '../report/doctor.js';
import { besideDocuments, runCommand } from './command-run.js';

export function run(options: TypedOptions<'doctor'>): Promise<number> {
  const stdout = options.output ? besideDocuments(options) : undefined;
  return runCommand(options, async ({ signal, finish }) => {
    const result = await doctor({ ...options, stdout }, { signal });
    await finish(result, diagnosisDocument(result));
    if (result.interrupted) return 130;
    if (result.failure !== null) return 4;
    return result.isRight === null ? 3 : result.isRight ? 0 : 1;
  });
}
