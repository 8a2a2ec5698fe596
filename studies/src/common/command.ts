import { Guardian, interruptSignal } from '@plimsoll/lab';

/** A study as `npm run study -- NAME` knows it. */
export interface Command {
  readonly name: string;
  /** @returns the exit code. @throws {PlimsollError} PLIMSOLL_USAGE for arguments that are none of its own. */
  run(args: readonly string[]): Promise<number> | number;
}

export interface LifeCycle {
  readonly guardian: Guardian;
  readonly signal: AbortSignal;
}

/** Runs a study that starts processes: whatever ends it, they end too. An interrupted one exits with 130. */
export async function withGuardian(run: (cycle: LifeCycle) => Promise<number>): Promise<number> {
  const interrupt = interruptSignal();
  const guardian = new Guardian();
  try {
    return await run({ guardian, signal: interrupt.signal });
  } catch (error) {
    if (interrupt.signal.aborted) return 130;
    throw error;
  } finally {
    await guardian.close();
    interrupt.dispose();
  }
}
