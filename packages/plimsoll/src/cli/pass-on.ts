import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PlimsollError } from '../errors.js';
import { printable } from '../host/printable.js';

/** From the keyboard they reach the whole foreground group, the command too: passed on as well, it would get them twice. */
const OF_KEYBOARD = ['SIGINT', 'SIGQUIT'] as const;
const OTHERS = ['SIGTERM', 'SIGHUP', 'SIGUSR2'] as const;

/**
 * Run a command in place of this process, as far as a child can be that: its input and output are ours, signals reach it, and
 * we end as it ends, by its exit code or by its signal.
 *
 * @returns its exit code; when a signal ended it, this process ends by the same one.
 * @throws {PlimsollError} PLIMSOLL_TARGET_FAILED when it cannot be started.
 */
export async function passOn(command: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [file = '', ...args] = command;
  let child: ChildProcess | undefined;
  // Installed before the command starts: a signal may come as soon as the command runs.
  const handlers = [...OF_KEYBOARD, ...OTHERS].map((signal) => {
    const isTyped = process.stdin.isTTY === true && (OF_KEYBOARD as readonly string[]).includes(signal);
    const handler = (): void => {
      if (!isTyped) child?.kill(signal);
    };
    process.on(signal, handler);
    return [signal, handler] as const;
  });
  try {
    child = spawn(file, args, { stdio: 'inherit', env });
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    if (signal === null) return code ?? 0;
    for (const [name, handler] of handlers) process.off(name, handler);
    process.kill(process.pid, signal);
    // The signal ends this process before that, unless it cannot.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return 128;
  } catch (error) {
    throw new PlimsollError(
      'PLIMSOLL_TARGET_FAILED',
      `cannot start ${printable(file)} (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
      { cause: error },
    );
  } finally {
    for (const [name, handler] of handlers) process.off(name, handler);
  }
}
