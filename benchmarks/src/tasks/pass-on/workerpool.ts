import { Transfer } from 'workerpool';

export default (bytes: Uint8Array) => new Transfer(bytes, [bytes.buffer]);
