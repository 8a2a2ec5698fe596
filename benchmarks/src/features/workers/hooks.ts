// Hooks of a worker, which take a moment: what does not await them is found out.
import { log } from '../log.js';
import { pause } from '../time.js';

export async function begin(): Promise<void> {
  log('setup began');
  await pause(60);
  log('setup done');
}

export async function end(): Promise<void> {
  log('dispose began');
  await pause(60);
  log('dispose done');
}
