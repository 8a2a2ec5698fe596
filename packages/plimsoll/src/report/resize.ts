import { LARGEST_POOL_SIZE } from '../libuv/pool-size.js';
import type { Resize } from '../results/resize.js';
import type { Report } from './document.js';
import { formatCount } from './format.js';

const resizeSentence = ({ pid, before, after }: Resize): string =>
  before === after
    ? `process ${pid} has ${formatCount(after, 'pool thread')}, as before`
    : `process ${pid}: ${before === null ? 'no pool yet' : formatCount(before, 'pool thread')} → ${formatCount(after, 'pool thread')}`;

export function resizeDocument(result: Resize): Report {
  const { slowLimit, by, limit } = result;
  const most = `at most ${formatCount(limit, 'thread')}`;
  const how =
    by === 'threads'
      ? `by starting and ending threads; ${most}`
      : `by parking threads; ${most}, the size at the start${limit < LARGEST_POOL_SIZE ? ' (more needs Node 26.9 or later)' : ''}`;
  return {
    command: resizeSentence(result),
    about: [
      `${formatCount(slowLimit, 'lookup')} (dns.lookup) at a time`,
      how,
      'until the process ends: a restart uses UV_THREADPOOL_SIZE again',
    ],
    sections: [],
  };
}
