// The entry of a measuring process: one contender of one study, which is opened once and measured round by round.
import { answerRounds } from './answer-rounds.js';
import type { Program } from './study.js';

interface Job {
  readonly study: string;
  readonly contender: string;
  readonly parameters: Readonly<Record<string, number>>;
}

answerRounds(async ({ study, contender, parameters }: Job) => {
  const { open } = (await import(new URL(`../${study}/program.js`, import.meta.url).href)) as Program;
  return open(contender, parameters);
});
