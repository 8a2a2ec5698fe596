// Two cluster workers and their primary, all of which use the pool.
import fs = require('node:fs');

const cluster = require('node:cluster') as typeof import('node:cluster').default;

fs.access('.', () => cluster.worker?.disconnect());
if (cluster.isPrimary) for (let count = 0; count < 2; count++) cluster.fork();
