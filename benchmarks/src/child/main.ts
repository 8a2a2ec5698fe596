// The entry of a measuring process: runs of one case with one contender, an answer for each, and then it is killed.
import { caseNamed } from '../cases/cases.js';
import { CONTENDERS } from '../contenders/contenders.js';
import { answerJobs } from './answer-jobs.js';
import type { Job } from './messages.js';

answerJobs(async ({ case: name, contender, effort }: Job) => {
  const started = performance.now();
  const { open } = await CONTENDERS[contender].load();
  const importMs = performance.now() - started;
  return caseNamed(name).measure({ open, effort, importMs });
});
