import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BASELINE } from '../cases.js';
import { HELD_OUT } from '../held-out.js';
import type { Program } from './catalogue.js';
import { measureCommand, recordCommand } from './commands.js';
import { forecast } from './forecast.js';
import { judgeProgram, noSizeHelps } from './judge.js';
import { meanOf, measuredSizes } from './measured.js';
import type { Place, ProgramPlan } from './plan.js';
import type { ProgramPrediction, ProgramResult } from './result.js';
import { measureServer, recordServer } from './servers.js';

/** Records, predicts and measures one program. @throws {ProgramFailed} when the program itself fails. */
export async function measureProgram(
  program: Program,
  plan: ProgramPlan,
  place: Place,
): Promise<ProgramResult> {
  const begun = performance.now();
  const { name, kind, what, packages } = program;
  const recorded = [];
  for (let index = 0; index < plan.recordings; index++) {
    process.stderr.write(`${name}: recorded at ${BASELINE} threads\n`);
    recorded.push(
      await (program.kind === 'server'
        ? recordServer(program, plan, place)
        : recordCommand(program, plan, place)),
    );
  }
  const { measured: runs, twins } = await (program.kind === 'server'
    ? measureServer(program, plan, place)
    : measureCommand(program, plan, place));
  const measured = measuredSizes(runs, plan.sizes);
  const paces = program.kind === 'command' || program.traffic.kind === 'closed';
  const predictions: ProgramPrediction[] = [];
  for (const { trace, unitsMs } of recorded) {
    const predicted = await forecast(trace, { kind, units: unitsMs.length }, plan.sizes);
    predictions.push(judgeProgram({ kind, paces }, predicted, measured, meanOf(unitsMs)));
  }
  const [twin] = measuredSizes(twins, [BASELINE]);
  const own = measured.find(({ size }) => size === BASELINE);
  return {
    name,
    isHeldOut: HELD_OUT.includes(name),
    kind,
    what,
    unit: program.kind === 'server' ? 'request' : program.unit,
    packages: packages.map((one) => `${one} ${versionOf(one, place)}`),
    measured,
    noSizeHelps: noSizeHelps(kind, measured),
    twin: (twin?.mean ?? Number.NaN) / (own?.mean ?? Number.NaN),
    predictions,
    seconds: (performance.now() - begun) / 1000,
  };
}

function versionOf(name: string, { directory }: Place): string {
  const file = join(directory, 'node_modules', name, 'package.json');
  if (!existsSync(file)) return '';
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
