// The entry of a measuring process: one run of one contender of one study, one answer, and then it is killed.
import { answerOnce } from 'plimsoll/lab/child';
import type { Program } from './study.js';

interface Job {
  readonly study: string;
  readonly contender: string;
  readonly parameters: Readonly<Record<string, number>>;
}

answerOnce(async ({ study, contender, parameters }: Job) => {
  const { run } = (await import(new URL(`../${study}/program.js`, import.meta.url).href)) as Program;
  return run(contender, parameters);
});
