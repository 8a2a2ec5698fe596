// The entry of every worker of the sample server, whether started alone, by node:cluster or by PM2. It reports to its
// controller before the pool is used for the first time, so that a worker whose pool cannot be created is not missed.
import net = require('node:net');
import aroundFirstUse = require('@plimsoll/lab/first-use');

const { control } = JSON.parse(process.env.PLIMSOLL_SERVER ?? '{}') as { control: string };
const socket = net.connect(control);
// The controller is gone: nobody would stop this server. Not process.exit(), which waits for the queue of the pool.
socket.on('close', () => process.kill(process.pid, 'SIGKILL'));
socket.on('error', () => {});
socket.on('connect', () => {
  const started = `${JSON.stringify({ type: 'started', pid: process.pid })}\n`;
  // Written out before libuv may abort.
  socket.write(started, () =>
    aroundFirstUse((before, after) => {
      void import('./worker.js').then(({ serve }) => serve(socket, before, after));
    }),
  );
});
