import { type Answer, decode, encode } from 'dns-packet';

function answers(name: string): Answer[] {
  const common = { name, ttl: 0 };
  return [
    { ...common, type: 'A', data: '127.0.0.1' },
    { ...common, type: 'AAAA', data: '::1' },
    { ...common, type: 'CNAME', data: 'alias.plimsoll.test' },
    { ...common, type: 'MX', data: { preference: 10, exchange: 'mail.plimsoll.test' } },
    { ...common, type: 'NS', data: 'ns.plimsoll.test' },
    { ...common, type: 'PTR', data: 'host.plimsoll.test' },
    { ...common, type: 'SRV', data: { priority: 1, weight: 1, port: 80, target: 'host.plimsoll.test' } },
    { ...common, type: 'TXT', data: 'plimsoll' },
  ];
}

/** The reply of a DNS server to a query; by default to those of every type. */
export function dnsReply(message: Buffer, types?: readonly string[]): Buffer {
  const { id, questions } = decode(message);
  return encode({
    type: 'response',
    id: id ?? 0,
    flags: 0x0180,
    questions: questions ?? [],
    answers: (questions ?? []).flatMap(({ name, type }) =>
      answers(name).filter((answer) => answer.type === type && (types?.includes(type) ?? true)),
    ),
  });
}
