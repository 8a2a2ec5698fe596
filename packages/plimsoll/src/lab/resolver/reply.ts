import { type Answer, decode, encode } from 'dns-packet';

const RECORDS: Readonly<Record<string, unknown>> = {
  A: '127.0.0.1',
  AAAA: '::1',
  CNAME: 'alias.plimsoll.test',
  MX: { preference: 10, exchange: 'mail.plimsoll.test' },
  NS: 'ns.plimsoll.test',
  PTR: 'host.plimsoll.test',
  SRV: { priority: 1, weight: 1, port: 80, target: 'host.plimsoll.test' },
  TXT: 'plimsoll',
};

/** The reply of a DNS server to a query; by default it answers questions of every type. */
export function dnsReply(message: Buffer, types: readonly string[] = Object.keys(RECORDS)): Buffer {
  const { id, questions = [] } = decode(message);
  const answers = questions.flatMap(({ name, type }) =>
    types.includes(type) ? [{ name, ttl: 0, type, data: RECORDS[type] } as Answer] : [],
  );
  return encode({ type: 'response', id: id ?? 0, flags: 0x0180, questions, answers });
}
