// Four calls of open(2) that do not return, as on a disk that hangs: they read FIFOs that nobody writes to. Says what else
// completes meanwhile, and what only does when they have returned.
import crypto = require('node:crypto');
import dns = require('node:dns');
import fs = require('node:fs');
import http = require('node:http');
import net = require('node:net');
import zlib = require('node:zlib');

const LOOK_MS = 50;
/** So many looks in a row at which nothing more has completed: a process that is held up takes longer for them. */
const QUIET_LOOKS = 10;
const fifos = process.argv.slice(2);
const done: string[] = [];
const note = (what: string) => (): void => {
  done.push(what);
  if (released && done.length === ALL) end();
};
const ALL = 7;
let released = false;
let meanwhile: string[] = [];

for (const fifo of fifos)
  fs.open(fifo, 'r', (error, file) => {
    if (error !== null) throw error;
    fs.closeSync(file);
  });
fs.stat('.', note('fs.stat of a good disk'));
crypto.pbkdf2('a', 'b', 1, 8, 'sha1', note('crypto.pbkdf2'));
zlib.gzip('a', note('zlib.gzip'));
dns.lookup('localhost', note('dns.lookup'));
setTimeout(note('a timer'), 1);
const echo = net.createServer((socket) => socket.end('a').resume());
echo.listen(0, '127.0.0.1', () => {
  const { port } = echo.address() as net.AddressInfo;
  net.connect(port, '127.0.0.1').resume().once('close', note('a socket'));
});
const server = http.createServer((_request, response) => response.end('a'));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as net.AddressInfo;
  http.get({ port, host: '127.0.0.1', agent: false }, (response) =>
    response.resume().once('end', note('an HTTP request')),
  );
});

let seen = 0;
let quiet = 0;
const looks = setInterval(() => {
  quiet = done.length === seen ? quiet + 1 : 0;
  seen = done.length;
  if (quiet < QUIET_LOOKS) return;
  clearInterval(looks);
  meanwhile = [...done];
  for (const fifo of fifos) letGo(fifo);
  released = true;
  if (done.length === ALL) end();
}, LOOK_MS);

/** A write end of its own lets a call return, once it has got to its FIFO. */
function letGo(fifo: string): void {
  try {
    fs.closeSync(fs.openSync(fifo, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
    setTimeout(letGo, LOOK_MS, fifo);
  }
}

function end(): void {
  echo.close();
  server.close();
  process.stdout.write(JSON.stringify({ meanwhile, later: done.slice(meanwhile.length) }));
}
