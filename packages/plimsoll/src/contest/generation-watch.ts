import { sum } from '../collections/sum.js';
import { disturbancesOf, machineNoise, readMachine, readMachineCounters } from '../host/noise.js';

export interface Disturbance {
  readonly generation: number;
  readonly what: string[];
}

/** What the machine did during each generation beside what the processes that are compared used. */
export class GenerationWatch {
  readonly disturbances: Disturbance[] = [];
  readonly #usedByPid = new Map<number, number>();
  #before = readMachine(readMachineCounters);
  #generation = 0;

  used(pid: number, totalCpuSeconds: number): void {
    this.#usedByPid.set(pid, totalCpuSeconds);
  }

  look(): void {
    const after = readMachine(readMachineCounters);
    const seconds = after.cpuSeconds - this.#before.cpuSeconds + sum([...this.#usedByPid.values()]);
    const what = disturbancesOf(machineNoise(this.#before.counters, after.counters, seconds));
    if (what.length > 0) this.disturbances.push({ generation: this.#generation, what });
    this.#usedByPid.clear();
    this.#before = after;
    this.#generation++;
  }
}
