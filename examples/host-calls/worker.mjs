import { host } from '@plimsoll/pool/worker';

const IMPORT = /^import '(.+)';$/;

/** Puts the modules that a source imports into its place. */
export default function bundle(source) {
  const lines = source.split('\n').map((line) => {
    const name = IMPORT.exec(line)?.[1];
    if (name === undefined) return line;
    // Blocks this worker, as `require` does, until the program has answered.
    const found = host.sync.load(name);
    if (found === undefined) void host.warn(`there is no ${name}`);
    return found === undefined ? '' : bundle(found);
  });
  return lines.join('\n');
}
