// Notes every channel of `node:diagnostics_channel` that is made from now on. To be imported before a pool is.
import diagnostics from 'node:diagnostics_channel';
import { syncBuiltinESMExports } from 'node:module';

export const channelsMade = new Set<string>();

const { channel, tracingChannel } = diagnostics;
const note = (name: unknown): void => {
  // Node makes some itself. The caller is behind this function and the one that replaces Node's.
  const caller = new Error().stack?.split('\n')[3] ?? '';
  if (!caller.includes('node:')) channelsMade.add(String(name));
};
diagnostics.channel = (name) => {
  note(name);
  return channel(name);
};
diagnostics.tracingChannel = ((name: string) => {
  note(name);
  return tracingChannel(name);
}) as typeof tracingChannel;
syncBuiltinESMExports();
