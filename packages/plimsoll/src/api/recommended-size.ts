import { usage } from '../errors.js';
import { list, tableName } from '../report/format.js';
import type { ReportDocument } from '../report/html/sections.js';
import { readDocuments } from './result-files.js';

interface Named {
  readonly name: string;
  readonly size: number | null;
}

/**
 * The pool size that a result of `bench` or `load` recommends.
 *
 * @param file as the command wrote it with `--json`, packed by gzip or not.
 * @param work of a result about several kinds of work, which of them: a workload of bench, a mode and case of load.
 * @throws {PlimsollError} PLIMSOLL_USAGE for a file that holds no such result, or one that names no size, or several.
 * @example
 * recommendedSize('result.json'); // 8
 */
export function recommendedSize(file: string, work?: string): number {
  const documents = readDocuments(file);
  const [first] = documents;
  if (documents.length !== 1 || first === undefined)
    throw usage(`${file} holds ${documents.length} results; give the file of one`);
  const all = namedSizes(first, file);
  const chosen = work === undefined ? all : all.filter(({ name }) => name === work);
  if (chosen.length === 0)
    throw usage(`${file} knows no ${JSON.stringify(work)}; it has ${list(all.map(({ name }) => name))}`);
  const sizes = new Set(chosen.map(({ size }) => size));
  const [size = null] = sizes;
  if (sizes.size === 1 && size !== null) return size;
  const told = chosen.map((one) => `${one.size ?? 'none'} for ${one.name}`);
  throw usage(
    size === null && sizes.size === 1
      ? `${file} recommends no size: it does not know enough; measure for longer`
      : `${file} recommends several sizes (${list(told)}); choose the work by --work, or give the number`,
  );
}

function namedSizes(result: ReportDocument, file: string): Named[] {
  switch (result.type) {
    case 'bench':
      return result.document.workloads.map(({ name, recommended }) => ({ name, size: recommended }));
    case 'load':
      return result.document.recommended.map(({ mode, case: name, size }) => ({
        name: tableName(mode, name),
        size,
      }));
    default:
      throw usage(`${file} recommends no size; give the result of plimsoll bench or load`);
  }
}
