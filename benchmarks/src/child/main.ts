// The entry of a measuring process: one run of one case with one contender, one answer, and then it is killed.
import { CASES } from '../cases/cases.js';
import { CONTENDERS } from '../contenders/contenders.js';
import { answerOnce } from './answer-once.js';
import type { Job } from './messages.js';

answerOnce(async ({ case: name, contender, effort }: Job) => {
  const chosen = CASES.find((candidate) => candidate.name === name);
  if (chosen === undefined) throw new Error(`there is no case ${name}`);
  const started = performance.now();
  const { open } = await CONTENDERS[contender].load();
  const importMs = performance.now() - started;
  return chosen.measure({ open, effort, importMs });
});
