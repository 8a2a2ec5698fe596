import { hasInside } from './codec/inside.js';
import { type Culprit, findCulprit, judge, stepFrom } from './culprit.js';
import { node } from './node-realm.js';
import { clone } from './untrusted.js';

/** Looks at so many parts of what might be refused. */
const MOST_INSIDE = 2 ** 8;
const PORT_FOUND = 'a MessagePort can only be transferred';

const { getPrototypeOf } = Object;
const culprits = new WeakMap<object, Culprit>();

/** The part for which `refuse` has thrown this. */
export const refusedBy = (error: unknown): Culprit | undefined => culprits.get(error as object);

/**
 * The codec has met a part that it cannot write, in these objects, the innermost first. To let structured clone refuse it would
 * take once more as long as to write all that stands before it.
 *
 * @param isFar there is much before it, so that it pays to look inside of it
 * @throws what structured clone throws, when that is sure to come to this part and to refuse it
 */
export function refuse(part: unknown, around: readonly object[], isFar: boolean): void {
  const verdict = judge(part);
  const isHopeless = verdict === 'hopeless' || verdict === 'port';
  if ((!isHopeless && !isFar) || around.some(hidesParts)) return;
  const culprit = findCulprit(part, MOST_INSIDE);
  const error = culprit && errorOf(culprit.value, verdict === 'port');
  if (error === undefined) return;
  const steps = around.map((object, index) => stepFrom(object, index === 0 ? part : around[index - 1]));
  const path = steps.reverse().join('') + culprit?.path;
  if (!steps.includes(undefined)) culprits.set(error, { value: culprit?.value, path });
  throw error;
}

/** Structured clone does not come to the properties of a Map, even if its prototype is that of a plain object. */
function hidesParts(object: object): boolean {
  const prototype: unknown = getPrototypeOf(object);
  return (prototype === Object.prototype || prototype === null) && hasInside(object);
}

function errorOf(culprit: unknown, isPort: boolean): object | undefined {
  if (isPort) return new node.DOMException(PORT_FOUND, 'DataCloneError');
  // Not sure to be cloned, and Node crashes when one that is closed is.
  if (judge(culprit) === 'port') return undefined;
  try {
    clone(culprit);
    return undefined;
  } catch (error) {
    return error as object;
  }
}
