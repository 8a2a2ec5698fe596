import { sum } from '../collections/sum.js';
import { disturbancesOf, type MachineNoise, machineNoise, readMachine } from '../host/noise.js';

export interface Disturbance {
  readonly generation: number;
  readonly what: string[];
}

/** What the machine did during each generation beside what the processes that are compared used. */
export class GenerationWatch {
  readonly disturbances: Disturbance[] = [];
  readonly #usedByPid = new Map<number, number>();
  readonly #earlier: MachineNoise[] = [];
  #before = readMachine();
  #generation = 0;

  used(pid: number, totalCpuSeconds: number): void {
    this.#usedByPid.set(pid, totalCpuSeconds);
  }

  look(): void {
    const after = readMachine();
    const seconds = after.cpuSeconds - this.#before.cpuSeconds + sum([...this.#usedByPid.values()]);
    const noise = machineNoise(this.#before.counters, after.counters, seconds);
    const what = disturbancesOf(noise, this.#earlier);
    if (what.length > 0) this.disturbances.push({ generation: this.#generation, what });
    this.#earlier.push(noise);
    this.#usedByPid.clear();
    this.#before = after;
    this.#generation++;
  }
}
