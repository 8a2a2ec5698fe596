import type { Claim, Source } from './claim.js';
import { COST_CLAIMS } from './claims/cost.js';
import { parallelism } from './claims/host.js';
import { SIZE_CLAIMS } from './claims/size.js';
import { USE_CLAIMS } from './claims/uses.js';
import { WAIT_CLAIMS } from './claims/waits.js';

/** In the order of the page. */
export const CLAIMS: readonly Claim[] = [
  ...COST_CLAIMS,
  ...SIZE_CLAIMS,
  ...USE_CLAIMS,
  ...WAIT_CLAIMS,
  parallelism,
];

/** What cannot be decided on Linux, and who says what. */
export const ELSEWHERE: readonly {
  readonly says: string;
  readonly known: string;
  readonly sources: readonly Source[];
}[] = [
  {
    says: 'On Windows the size cannot be set in the program',
    known:
      'Reported since 2018. libuv read the variable by getenv(3), which on Windows does not see what a running program sets; a change of 2025 reads it where `process.env` writes it.',
    sources: [
      { title: 'nodejs/help#1429', url: 'https://github.com/nodejs/help/issues/1429' },
      { title: 'libuv/libuv#4887', url: 'https://github.com/libuv/libuv/issues/4887' },
      { title: 'libuv/libuv#4888', url: 'https://github.com/libuv/libuv/pull/4888' },
    ],
  },
];
