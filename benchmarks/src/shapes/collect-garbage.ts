import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Of the calling thread, so that what is left is held by someone. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
}
