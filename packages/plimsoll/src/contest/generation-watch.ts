import { sum } from '../collections/sum.js';
import { disturbancesOf, machineNoise, readMachine, readMachineCounters } from '../host/noise.js';

export interface Disturbance {
  readonly generation: number;
  readonly what: string[];
}

/** Records in which generations further load disturbed the machine. */
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
    const kinds = disturbancesOf(machineNoise(this.#before.counters, after.counters, seconds));
    if (kinds.length > 0) this.disturbances.push({ generation: this.#generation, what: kinds });
    this.#usedByPid.clear();
    this.#before = after;
    this.#generation++;
  }
}
