/** The primary of the sample server under node:cluster. It only hands out connections; its workers report by themselves. */
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';

cluster.setupPrimary({ exec: fileURLToPath(new URL('./main.cjs', import.meta.url)) });
for (let instance = 0; instance < Number(process.argv[2]); instance++) cluster.fork();
