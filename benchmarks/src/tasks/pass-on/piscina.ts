import { move } from 'piscina';

export default (bytes: Uint8Array) => move(bytes);
