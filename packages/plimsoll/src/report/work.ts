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

export const describeWorkload = <Name extends WorkloadName>(
  name: Name,
  parameters: Parameters<Name>,
): string => workloads[name](parameters);
