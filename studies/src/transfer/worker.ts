import { move as ourMove } from '@plimsoll/pool/worker';
import { move as piscinaMove } from 'piscina';

type Bytes = Uint8Array<ArrayBuffer>;

/** Something arrives, and nothing to speak of goes back. */
export const receive = (bytes: Bytes): number => bytes.length;

/** The bytes go back as they came: copied. */
export const giveBack = (bytes: Bytes): Bytes => bytes;
export const give = (length: number): Bytes => new Uint8Array(length);

/** The same, moved. */
export const giveBackByPlimsoll = (bytes: Bytes): unknown => ourMove(bytes);
export const giveByPlimsoll = (length: number): unknown => ourMove(new Uint8Array(length));
export const giveBackByPiscina = (bytes: Bytes): unknown => piscinaMove(bytes);
export const giveByPiscina = (length: number): unknown => piscinaMove(new Uint8Array(length));
