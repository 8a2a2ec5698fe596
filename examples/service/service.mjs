import { user } from './storages.mjs';

/** What the service does. It gets its pool, so a test can give it one without threads. */
export const reportFor = (pool, name, lines) =>
  user.run(name, async () => {
    const found = [];
    for await (const line of pool.stream(lines, { name: 'scan' })) found.push(line);
    return `${await pool.proxy().greet('hello', name)}; ${found.length} errors`;
  });
