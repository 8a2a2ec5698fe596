import * as piscina from './piscina.js';

/** What `require` gives: the class itself, with everything else as its properties. */
// biome-ignore lint/suspicious/noExplicitAny: Piscina's own defaults
declare class Piscina<T = any, R = any> extends piscina.Piscina<T, R> {}

declare namespace Piscina {
  export { Piscina as default };
  export import Piscina = piscina.Piscina;
  export type PiscinaLoadBalancer = piscina.PiscinaLoadBalancer;
  export import PiscinaOptions = piscina.PiscinaOptions;
  export import PiscinaRunOptions = piscina.PiscinaRunOptions;
  export type PiscinaTask = piscina.PiscinaTask;
  export type PiscinaWorker = piscina.PiscinaWorker;
  export type TaskQueue = piscina.TaskQueue;
  export import ArrayTaskQueue = piscina.ArrayTaskQueue;
  export import FixedQueue = piscina.FixedQueue;
  export import isWorkerThread = piscina.isWorkerThread;
  export import move = piscina.move;
  export import queueOptionsSymbol = piscina.queueOptionsSymbol;
  export import transferableSymbol = piscina.transferableSymbol;
  export import valueSymbol = piscina.valueSymbol;
  export import version = piscina.version;
  export import workerData = piscina.workerData;
}

export = Piscina;
