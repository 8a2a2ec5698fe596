import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import writeFileAtomic from 'write-file-atomic';
import { scratch, serve } from './kit.mjs';

const FILES = 200;
let turn = 0;

serve(
  createServer(async (request, response) => {
    await writeFileAtomic(join(scratch, `${turn++ % FILES}.bin`), await buffer(request));
    response.statusCode = 201;
    response.end();
  }),
);
