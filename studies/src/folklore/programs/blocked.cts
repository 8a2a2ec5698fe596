// Four calls of open(2) that do not return, as on a disk that hangs: they read FIFOs that nobody writes to. Says what else
// completes meanwhile, and what only does when they have returned.
import crypto = require('node:crypto');
import dns = require('node:dns');
import fs = require('node:fs');
import http = require('node:http');
import net = require('node:net');
import zlib = require('node:zlib');

const MEANWHILE_MS = 500;
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

setTimeout(() => {
  meanwhile = [...done];
  // A write end of its own lets each of them go.
  for (const fifo of fifos) fs.closeSync(fs.openSync(fifo, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK));
  released = true;
  if (done.length === ALL) end();
}, MEANWHILE_MS);

function end(): void {
  echo.close();
  server.close();
  process.stdout.write(JSON.stringify({ meanwhile, later: done.slice(meanwhile.length) }));
}
