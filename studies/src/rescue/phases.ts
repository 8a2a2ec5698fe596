/** What a server goes through, one after the other. */
export interface Phase {
  readonly id: string;
  /** What hangs from its start to its end, and how many. */
  readonly hang: 'files' | 'lookups' | null;
  readonly count: number;
  /** Clients that log in, which is a hash, and that ask for a file. */
  readonly logins: number;
  readonly files: number;
}

const phase = (
  id: string,
  [hang, count]: readonly [Phase['hang'], number] = [null, 0],
  [logins, files]: readonly [number, number] = [8, 8],
): Phase => ({ id, hang, count, logins, files });

const HASHES = [16, 0] as const;

export const PHASES: readonly Phase[] = [
  phase('calm'),
  phase('4 files hang', ['files', 4]),
  phase('calm again'),
  phase('hashes only', undefined, HASHES),
  phase('4 lookups hang', ['lookups', 4]),
  phase('hashes only, behind lookups', undefined, HASHES),
  phase('2 files hang', ['files', 2]),
  phase('8 files hang', ['files', 8]),
  phase('hashes only, 4 files hang', ['files', 4], HASHES),
  phase('files only', undefined, [0, 16]),
];
