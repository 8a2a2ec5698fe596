/** Node's trace events about the pool, each category under the letter that stands for it in a recording. */
const CATEGORIES = {
  w: 'node.threadpoolwork.async',
  r: 'node.threadpoolwork.sync',
  f: 'node.fs.async',
  o: 'node.fs_dir.async',
  d: 'node.dns.native',
} as const;

export = CATEGORIES;
