import type { OperationSpec } from '../workloads/operations.js';
import type { Parameters, WorkloadName } from '../workloads/parameters.js';
import { formatNumber } from './format.js';

const kilobytes = (bytes: number): string =>
  bytes >= 1024 ? `${formatNumber(Math.round(bytes / 102.4) / 10)} KB` : `${bytes} bytes`;

const workloads: { [Name in WorkloadName]: (p: Parameters<Name>) => string } = {
  file: (p) =>
    `${formatNumber(p.operations)} files of ${kilobytes(p.bytes)}: all written, all read, all deleted`,
  crypto: (p) =>
    `${formatNumber(p.operations)} × pbkdf2, ${formatNumber(p.iterations)} iterations, ${p.digest}, ${p.keyBytes} bytes`,
  zlib: (p) =>
    `${formatNumber(p.operations)} × gzip of ${kilobytes(p.bytes)} of random data, then gunzip of all`,
  dns: (p) => `${formatNumber(p.operations)} × dns.lookup`,
  mixed: (p) =>
    `${formatNumber(p.operations)} requests, ${p.inFlight} in flight, each: lookup, pbkdf2 (${formatNumber(p.iterations)} iterations), ` +
    `write, read and delete of ${kilobytes(p.bytes)}, gzip, gunzip`,
};

/** One line that says what a workload does. */
export const describeWorkload = <Name extends WorkloadName>(
  name: Name,
  parameters: Parameters<Name>,
): string => workloads[name](parameters);

/** What a request of the sample server starts. */
export const describeRequest = (operation: OperationSpec, operationsPerRequest: number): string =>
  `${operationsPerRequest} × ${describeOperation(operation)}`;

/** An operation in words, without saying where a module lies. */
function describeOperation(spec: OperationSpec): string {
  switch (spec.kind) {
    case 'pbkdf2':
      return `pbkdf2, ${formatNumber(spec.iterations)} iterations, ${spec.digest}, ${spec.keyBytes} bytes`;
    case 'scrypt':
      return `scrypt, cost ${formatNumber(spec.cost)}`;
    case 'gzip':
    case 'randomBytes':
    case 'readFile':
      return `${spec.kind}, ${formatNumber(spec.bytes)} bytes`;
    case 'stat':
      return 'fs.stat';
    case 'lookup':
      return spec.name === 'localhost' ? 'dns.lookup of localhost' : 'dns.lookup';
    case 'sleep':
      return `a pool thread held for ${spec.ms} ms, no CPU`;
    case 'module':
      return 'the default export of a module';
  }
}
