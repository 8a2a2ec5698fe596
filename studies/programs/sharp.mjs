import sharp from 'sharp';
import { count, work } from './kit.mjs';

const WIDTH = 1600;
const HEIGHT = 1200;
let state = 2026;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const raw = Buffer.alloc(WIDTH * HEIGHT * 3);
for (let at = 0; at < raw.length; at++) raw[at] = ((at / 40) % 200) + 50 * random();
const image = await sharp(raw, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
  .jpeg()
  .toBuffer();

/** One unit is one image made smaller. */
await work(count, 8, () => sharp(image).resize(640).jpeg({ quality: 80 }).toBuffer());
