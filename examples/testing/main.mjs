import { TestPool } from '@plimsoll/pool/testing';
import { thumbnail } from './thumbnails.mjs';

const filename = new URL('./worker.mjs', import.meta.url);
const pool = new TestPool({ filename, maxThreads: 1 });

// The next call of `resize` crashes its worker. The backoff of a minute takes no time.
const crash = pool.inject({ kind: 'crash', name: 'resize' });
const small = await thumbnail(pool, 'photo.png');
console.log(`attempts ${crash.hits + 1}, after ${pool.duration / 1000} s of backoff: ${small}`);

pool.inject({ kind: 'oom' });
await thumbnail(pool, 'huge.png').catch(({ code }) => console.log(code));
await pool.close();

// Nothing happens in a manual pool but by steps.
const manual = new TestPool({ filename, maxThreads: 1, manual: true });
thumbnail(manual, 'photo.png');
const steps = await manual.runAll();
console.log(steps.map(({ kind, threadId, name = '' }) => `${kind} ${threadId} ${name}`.trim()).join(', '));
await manual.close();
