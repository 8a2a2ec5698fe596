// Prints the requests of a kept trace, by route.
import { readTrace } from 'plimsoll';

const counts = {};
for (const { requests } of readTrace(process.argv[2]).processes)
  for (const { kind, route, end } of requests) {
    const name = `${kind} ${route}: ${end}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
for (const [name, count] of Object.entries(counts)) console.log(count, name);
