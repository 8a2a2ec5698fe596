import { fileURLToPath } from 'node:url';
import type { Contestant, Guardian, Random } from '@plimsoll/lab';
import { LiveContestant } from './live-contestant.js';
import type { RoundYield } from './rounds.js';

const ENTRY = fileURLToPath(new URL('./child.js', import.meta.url));
/** A process that is not ready, or does not end a round, within so long counts as hung. */
const DEADLINE_MS = 60_000;

/** A process of a contender, with a directory of its own for what it writes, which is gone afterwards whatever ends it. */
export async function openContender(
  job: {
    readonly study: string;
    readonly contender: string;
    readonly parameters: Readonly<Record<string, number>>;
  },
  supervision: { readonly guardian: Guardian; readonly signal: AbortSignal },
  random: Random,
): Promise<Contestant<RoundYield, string>> {
  const { guardian } = supervision;
  const TMPDIR = guardian.temporaryDirectory();
  try {
    const command = [process.execPath, ENTRY] as const;
    const request = { command, env: { TMPDIR }, job, deadlineMs: DEADLINE_MS };
    const live = await LiveContestant.open(request, supervision, random);
    return {
      pid: live.pid,
      round: () => live.round(),
      close: async () => {
        await live.close();
        guardian.remove(TMPDIR);
      },
      end: async () => {
        await live.end();
        guardian.remove(TMPDIR);
      },
    };
  } catch (error) {
    guardian.remove(TMPDIR);
    throw error;
  }
}
