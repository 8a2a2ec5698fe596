// `npm run test:piscina-dependants [-- NAME…] [-- --rounds N] [-- --write]`: packages of npm that depend on Piscina do their work
// with it and with `@plimsoll/pool/piscina` in its place. Exit code, output and every file must be the same, and the pool must
// have run tasks; how many is not the same in two runs of some. With --rounds N, 1 by default, both run N times in alternation,
// and their times are compared.
// With --write, and all of them: docs/results/piscina-dependants.md.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { medianRatio } from '../ratio.mjs';
import { root } from '../run.mjs';
import { setup } from '../setup.mjs';
import { prepare, run } from './project.mjs';

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '1' }, write: { type: 'boolean' } },
  allowPositionals: true,
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error(`--rounds must be a whole number from 1 on, not ${values.rounds}`);
  process.exit(2);
}
setup();
const cases = readdirSync(new URL('cases', import.meta.url)).filter(
  (file) => positionals.length === 0 || positionals.some((text) => file.includes(text)),
);
/** @type {ReturnType<typeof compare>[]} */
const rows = [];
for (const file of cases) {
  const { default: dependant } = await import(`./cases/${file}`);
  const row = compare(dependant);
  rows.push(row);
  console.log(
    `${row.name}: ${row.problems.length === 0 ? `the same with both, ${row.tasks} tasks` : 'DIFFERS'}; time with the drop-in / with Piscina: ${row.time}`,
  );
  for (const problem of row.problems) console.log(`  ${problem}`);
}
const bad = rows.filter(({ problems }) => problems.length > 0).length;
console.log(`\n${rows.length - bad} of ${rows.length} dependants work the same with the drop-in`);
if (values.write && positionals.length === 0 && bad === 0) write();
process.exitCode = rows.length === 0 || bad > 0 ? 1 : 0;

/** @param {import('./project.mjs').Dependant} dependant */
function compare(dependant) {
  const [[name, version]] = Object.entries(dependant.packages);
  const project = prepare(dependant);
  const theirs = run(dependant, project, 'Piscina');
  const ours = run(dependant, project, 'drop-in');
  const ratios = [ours.ms / theirs.ms];
  while (ratios.length < rounds) {
    const isFirst = ratios.length % 2 === 1;
    const first = run(dependant, project, isFirst ? 'drop-in' : 'Piscina').ms;
    const second = run(dependant, project, isFirst ? 'Piscina' : 'drop-in').ms;
    ratios.push(isFirst ? first / second : second / first);
  }
  const time = rounds === 1 ? ratios[0]?.toFixed(2) : medianRatio(ratios).text;
  /** @type {string[]} */
  const problems = [];
  if (theirs.end !== (dependant.ends ?? 0))
    problems.push(`with Piscina it ends with ${theirs.end}: ${theirs.said.slice(-2000)}`);
  if (ours.end !== theirs.end) problems.push(`ends with ${ours.end} instead of ${theirs.end}`);
  if (ours.said !== theirs.said) problems.push(difference(ours.said, theirs.said));
  if (ours.tasks === 0) problems.push('ran no task');
  for (const file of new Set([...Object.keys(theirs.files), ...Object.keys(ours.files)])) {
    if (!isDeepStrictEqual(ours.files[file], theirs.files[file])) problems.push(`${file} differs`);
  }
  const [{ version: piscina }] = project.places;
  return { name, version, piscina, what: dependant.what, tasks: ours.tasks, time, problems };
}

/** The first line that is not the same. @type {(ours: string, theirs: string) => string} */
function difference(ours, theirs) {
  const [mine, wanted] = [ours.split('\n'), theirs.split('\n')];
  const at = wanted.findIndex((line, index) => line !== mine[index]);
  const line = at === -1 ? wanted.length : at;
  return `line ${line + 1} of what it says is\n${shortened(mine[line])}\n  instead of\n${shortened(wanted[line])}`;
}

/** @param {string | undefined} text */
function shortened(text) {
  return String(text).slice(0, 500);
}

function write() {
  const lines = rows.map(
    ({ name, version, piscina, what, tasks, time }) =>
      `| ${name} ${version} | ${piscina} | ${what} | ${tasks} | ${time} |`,
  );
  writeFileSync(
    join(root, 'docs/results/piscina-dependants.md'),
    `# Dependants of Piscina with the drop-in

\`npm run test:piscina-dependants -- --rounds ${rounds} --write\` installs packages from npm that depend on Piscina. Each package
does its work with its own Piscina and with \`@plimsoll/pool/piscina\` in its place. The script compares exit code, output and
every file written: all are the same. It also compares the times of ${rounds} processes with each, in alternation: below 1,
the process with the drop-in is faster. Node ${process.versions.node}, ${process.platform}.

| package | its Piscina | what it does | tasks | time, drop-in / Piscina [95 %] |
| --- | --- | --- | --- | --- |
${lines.join('\n')}
`,
  );
}
