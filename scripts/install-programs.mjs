// `node scripts/install-programs.mjs`: installs, from Debian's packages, what tests need besides npm's and is not there.
import { installPrograms } from './apt-get.mjs';
import { VARIABLE as CHROMIUM, findChromium } from './chromium.mjs';
import { findPrometheus, VARIABLE as PROMETHEUS } from './prometheus.mjs';
import { findRedis, VARIABLE as REDIS } from './redis.mjs';

installPrograms([
  { debian: 'chromium', variable: CHROMIUM, find: findChromium },
  { debian: 'redis-server', variable: REDIS, find: findRedis },
  { debian: 'prometheus', variable: PROMETHEUS, find: findPrometheus },
]);
