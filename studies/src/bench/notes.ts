import type { Note } from '../common/notes.js';

const OF = '2026-11-25T01:24:25.981Z';
const WRITTEN = '2026-11-25';

export const NOTES: readonly Note[] = [
  {
    of: OF,
    written: WRITTEN,
    about: 'crypto and zlib',
    text: 'the original gained about a fifth from 4 to 8 threads, because it had cores that four threads left idle. Here four threads already keep both CPUs busy, so more threads find no core; what grows with them is the event-loop delay, which the original did not measure. Its advice to use 8 or more threads for crypto holds for its machine, not for crypto.',
  },
  {
    of: OF,
    written: WRITTEN,
    about: 'dns',
    text: "lookups wait and use no CPU, so threads help on any machine. The original's step from 4 to 8 is larger than half: its network's answers vary. Here every answer takes the same time, and the step is the ratio of the two or four threads that libuv lets serve lookups at a time.",
  },
  {
    of: OF,
    written: WRITTEN,
    about: 'mixed',
    text: 'the original gave advice on it without measuring it: the number of CPUs. As soon as lookups are part of it, it wants more.',
  },
];
