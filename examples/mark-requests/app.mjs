// Works off a queue of 30 jobs, two at a time, as a consumer of BullMQ or Kafka does; each job is a request by its mark.
import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { mark } from 'plimsoll/mark';

const hash = promisify(pbkdf2);
const handlers = {
  'hash-password': () => hash('secret', 'salt', 3000, 64, 'sha512'),
  'check-password': async () => (await hash('secret', 'salt', 3000, 64, 'sha512')).equals(Buffer.alloc(64)),
};
const queue = Array.from({ length: 30 }, (_, index) =>
  index % 3 === 0 ? 'hash-password' : 'check-password',
);

async function consume() {
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) await mark(name, handlers[name]);
}
await Promise.all([consume(), consume()]);
