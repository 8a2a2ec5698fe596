import { adopters } from '../adopters/study.js';
import { backpressure } from '../backpressure/study.js';
import { benchStudy } from '../bench/study.js';
import { classifyStudy } from '../classify/study.js';
import { fleet } from '../fleet/study.js';
import { folklore } from '../folklore/study.js';
import { loadStudy } from '../load/study.js';
import { monitorStudy } from '../monitor/study.js';
import { pressure } from '../pressure/study.js';
import { react } from '../react/study.js';
import { rescueStudy } from '../rescue/study.js';
import { scrypt } from '../scrypt/study.js';
import { timelineStudy } from '../timeline/study.js';
import { traceCost } from '../trace-cost/study.js';
import { transfer } from '../transfer/study.js';
import { tuneStudy } from '../tune/study.js';
import { validity } from '../validity/study.js';
import { waitingStudy } from '../waiting/study.js';
import type { Command } from './command.js';
import { poolStudy } from './pool-study.js';
import type { Study } from './study.js';

/** Those of worker pools, in the order of the article that they repeat. */
export const STUDIES: readonly Study[] = [scrypt, react, backpressure, pressure, transfer];

export const COMMANDS: readonly Command[] = [
  ...STUDIES.map(poolStudy),
  poolStudy(fleet),
  benchStudy,
  timelineStudy,
  classifyStudy,
  folklore,
  loadStudy,
  traceCost,
  waitingStudy,
  monitorStudy,
  rescueStudy,
  tuneStudy,
  validity,
  poolStudy(adopters),
];
