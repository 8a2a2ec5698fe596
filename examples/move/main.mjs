import { move, Pool } from '@plimsoll/pool';

const pool = new Pool({ filename: new URL('./worker.mjs', import.meta.url) });

const image = new Uint8Array(16 * 1024 * 1024).fill(200);
const inverted = await pool.run(move(image));
console.log(`left here: ${image.byteLength} bytes`);
console.log(`came back: ${inverted.byteLength} bytes, first ${inverted[0]}`);

// The option transferList moves a part of a larger task.
const photo = { title: 'harbour', pixels: new Uint8Array([1, 2, 3]) };
const result = await pool.run(photo.pixels, { transferList: [photo.pixels.buffer] });
console.log(`${photo.title}: ${result.join(' ')}`);

await pool.close();
