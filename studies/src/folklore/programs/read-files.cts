// Reads a file a hundred times, one after the other: `callback FILE` or `promises FILE`.
import fs = require('node:fs');

const READS = 100;
const [, , how, file = ''] = process.argv;

const read = (): Promise<unknown> =>
  how === 'promises'
    ? fs.promises.readFile(file)
    : new Promise((resolve, reject) =>
        fs.readFile(file, (error, bytes) => (error === null ? resolve(bytes) : reject(error))),
      );

void (async () => {
  for (let count = 0; count < READS; count++) await read();
})();
