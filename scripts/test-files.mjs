import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

/** Every compiled test file, or those whose path contains one of the filters. */
export function testFiles(filters) {
  const packages = readdirSync(join(root, 'packages')).map((name) => join('packages', name));
  const files = [...packages, 'benchmarks', 'examples'].flatMap((folder) => {
    const directory = join(folder, 'test-dist');
    try {
      return readdirSync(join(root, directory), { recursive: true })
        .filter((file) => file.endsWith('.test.js'))
        .map((file) => join(directory, file));
    } catch {
      return [];
    }
  });
  return filters.length === 0
    ? files.sort()
    : files.filter((file) => filters.some((text) => file.includes(text)));
}
