import { Piscina } from '@plimsoll/pool/piscina'; // was: 'piscina'

const piscina = new Piscina({
  filename: new URL('./worker.mjs', import.meta.url).href,
  minThreads: 1,
  maxThreads: 2,
});

console.log(await piscina.run({ a: 4, b: 6 }));
console.log(await piscina.run({ a: 4, b: 6 }, { name: 'multiply' }));
console.log((await piscina.run({ length: 3 }, { name: 'zeros' })).byteLength);

await piscina.close();
