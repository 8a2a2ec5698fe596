// The functions of a random program, for a pool with threads.

export { blocks, callingItems, calls, leaves } from './calling.mjs';
export * from './meetings.mjs';
export default (task) => task;
export function fails() {
  throw new RangeError('its own');
}
export async function later(task) {
  await undefined;
  return task;
}
export function* items(task) {
  for (let item = 0; item < (task?.length ?? 5); item++) yield item;
}
export const odd = (task) => ({ task, odd: () => task });
export function* oddItems(task) {
  for (let item = 0; item < (task?.length ?? 5); item++) yield item === 3 ? () => item : item;
}
export async function* endless() {
  for (let item = 0; ; item++) yield item;
}
export const hangs = () => new Promise(() => {});
export async function sum(items) {
  let sum = 0;
  for await (const item of items) sum += item;
  return sum;
}
export const dispose = () => {};
