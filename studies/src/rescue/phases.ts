/** The server that has a rescue. */
export const RESCUED = 'rescue';
/** Of a hash, and of a file. */
export const ITERATIONS = 5000;
export const FILE_BYTES = 16_384;

/** What a server goes through, one after the other. */
export interface Phase {
  readonly id: string;
  /** What hangs from its start to its end, and how many. */
  readonly hang: 'files' | 'lookups' | null;
  readonly count: number;
  /** Requests a second at random moments; or clients, each of which waits for its answer: everything they can get. */
  readonly load: 'open' | 'closed';
  /** So many log in, which is a hash, and so many ask for a file. */
  readonly logins: number;
  readonly files: number;
}

const MIXED = { load: 'open', logins: 60, files: 120 } as const;
const HASHES = { load: 'closed', logins: 16, files: 0 } as const;
const FILES = { load: 'closed', logins: 0, files: 16 } as const;

type Load = Pick<Phase, 'load' | 'logins' | 'files'>;
const phase = (
  id: string,
  load: Load,
  count = 0,
  hang: Phase['hang'] = count > 0 ? 'files' : null,
): Phase => ({
  ...{ id, hang, count },
  ...load,
});

export const PHASES: readonly Phase[] = [
  phase('calm', MIXED),
  phase('4 files hang', MIXED, 4),
  phase('calm again', MIXED),
  phase('hashes only', HASHES),
  phase('4 lookups hang', MIXED, 4, 'lookups'),
  phase('hashes only, behind lookups', HASHES),
  phase('2 files hang', MIXED, 2),
  phase('8 files hang', MIXED, 8),
  phase('hashes only, 4 files hang', HASHES, 4),
  phase('files only', FILES),
];
