// Copied into the place of the package `piscina` inside a dependant: gives it Piscina or the drop-in, as choice.json says, and
// notes how many tasks its pools have run.
'use strict';
const { appendFileSync } = require('node:fs');
const { join } = require('node:path');

/** @type {{ pool: 'Piscina' | 'drop-in', log: string }} */
const { pool, log } = require(join(__dirname, 'choice.json'));

/** @type {new (...args: unknown[]) => { completed: number }} */
const Piscina = require(pool === 'Piscina' ? './original' : '@plimsoll/pool/piscina');
/** @type {{ completed: number }[]} */
const pools = [];
/** @type {typeof Piscina} */
const counting = new Proxy(Piscina, {
  construct(target, args, newTarget) {
    const made = Reflect.construct(target, args, newTarget === counting ? target : newTarget);
    pools.push(made);
    return made;
  },
  get: (target, key) => (key === 'Piscina' ? counting : Reflect.get(target, key)),
});
process.on('exit', () => {
  for (const { completed } of pools) appendFileSync(log, `${completed}\n`);
});
module.exports = counting;
