// Works off a queue for ever, two jobs at a time, as a consumer of BullMQ or Kafka does; each job is a request by its mark.
import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { mark } from 'plimsoll/mark';

const hash = promisify(pbkdf2);
const handlers = {
  'hash-password': () => hash('secret', 'salt', 3000, 64, 'sha512'),
  'check-password': async () => (await hash('secret', 'salt', 3000, 64, 'sha512')).equals(Buffer.alloc(64)),
};

let taken = 0;
async function consume() {
  for (;;) {
    const name = taken++ % 3 === 0 ? 'hash-password' : 'check-password';
    await mark(name, handlers[name]);
  }
}
await Promise.all([consume(), consume()]);
