// The entry of a measuring process: one run of one case with one contender, one answer, and then it is killed.
import { CASES } from '../cases/cases.js';
import { CannotDo } from '../contenders/contender.js';
import { CONTENDERS } from '../contenders/contenders.js';
import type { Answer, Job, Outcome } from './messages.js';

async function run({ case: name, contender, effort }: Job): Promise<Outcome> {
  const chosen = CASES.find((candidate) => candidate.name === name);
  if (chosen === undefined) return { type: 'failed', reason: `there is no case ${name}` };
  try {
    const started = performance.now();
    const { open } = await CONTENDERS[contender].load();
    const importMs = performance.now() - started;
    const metrics = await chosen.measure({ open, effort, importMs });
    const { user, system } = process.cpuUsage();
    return { type: 'measured', metrics, cpuSeconds: (user + system) / 1e6 };
  } catch (error) {
    return error instanceof CannotDo
      ? { type: 'cannot', reason: error.message }
      : { type: 'failed', reason: String(error) };
  }
}

const say = (answer: Answer): void => void process.send?.(answer);

// `on`, not `once`: the channel must keep the process alive, or a promise that never settles would end it in silence.
process.on('message', (job: Job) => {
  void run(job).then(say);
});
say({ type: 'started' });
