import work from './workload.mjs';

export { operations } from './workload.mjs';

// The same work twice: a change that nobody should merge.
export default async function (options) {
  await work(options);
  await work(options);
}
