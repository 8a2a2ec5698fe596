import { readFileSync } from 'node:fs';

const [file, limit] = process.argv.slice(2);
const [{ name, noise, sizes }] = JSON.parse(readFileSync(file, 'utf8')).workloads;

for (const { size, workMs } of sizes) {
  console.log(`${name} with ${size} threads: ${workMs.toFixed(1)} ms, allowed ${limit} ms`);
  if (workMs > Number(limit)) process.exitCode = 1;
}
// A machine that differs from itself proves neither success nor failure.
if (noise === null || noise.noisy) {
  console.log('too noisy to tell: run it again');
  process.exitCode = 3;
}
