import { usage } from '../errors.js';
import { list } from '../report/format.js';
import { readDocuments } from './result-files.js';

/**
 * The pool size that a result of `tune` or `bench` recommends.
 *
 * @param file as the command wrote it with `--json`, packed by gzip or not.
 * @throws {PlimsollError} PLIMSOLL_USAGE for a file that holds no such result, or one that names no size, or several.
 * @example
 * recommendedSize('result.json'); // 8
 */
export function recommendedSize(file: string): number {
  const named = readDocuments(file).flatMap(({ type, document }) => {
    if (type === 'tune') return [{ name: 'tune', size: document.recommended }];
    if (type === 'bench') return document.workloads.map(({ name, recommended: size }) => ({ name, size }));
    throw usage(`${file} recommends no size; give the result of plimsoll tune or bench`);
  });
  const [size = null, ...others] = new Set(named.map((one) => one.size));
  if (others.length > 0) {
    const sizes = named.map((one) => `${one.size ?? 'none'} for ${one.name}`);
    throw usage(`${file} recommends several sizes (${list(sizes)}): give the number`);
  }
  if (size === null) throw usage(`${file} recommends no size: it does not know enough; measure for longer`);
  return size;
}
