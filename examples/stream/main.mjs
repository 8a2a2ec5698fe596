import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { Pool } from '@plimsoll/pool';

const pool = new Pool({ filename: new URL('./worker.mjs', import.meta.url) });
const lines = createInterface({ input: createReadStream(new URL('./passwords.txt', import.meta.url)) });

// At most two lines per worker are in flight, however long the file is. Results keep the order of the lines.
const hashes = Readable.from(lines).map((line) => pool.run(line), { concurrency: 2 * pool.maxThreads });
for await (const { password, hash } of hashes) console.log(password.padEnd(8), hash);

await pool.close();
