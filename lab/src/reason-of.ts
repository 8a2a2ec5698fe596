import type { Ending } from '../../packages/plimsoll/dist/lab/fresh-process.js';

/** Why there is no answer. @throws an AbortError when it was interrupted. */
export function reasonOf(ending: Exclude<Ending<never>, { kind: 'answer' }>, deadlineMs: number): string {
  switch (ending.kind) {
    case 'aborted':
      throw new DOMException('interrupted', 'AbortError');
    case 'deadline':
      return `not finished after ${deadlineMs / 1000} s`;
    case 'exit': {
      const how = ending.signal ?? `code ${ending.code}`;
      const said = ending.stderr.trim().split('\n').at(-1)?.slice(0, 200);
      return `its process ended (${how})${said ? `: ${said}` : ''}`;
    }
  }
}
