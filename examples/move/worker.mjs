import { move } from '@plimsoll/pool/worker';

export default function invert(pixels) {
  for (let index = 0; index < pixels.length; index++) pixels[index] = 255 - pixels[index];
  return move(pixels);
}
