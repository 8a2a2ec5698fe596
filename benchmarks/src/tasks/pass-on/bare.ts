import { Transferring } from '../../contenders/workers/transferring.js';

export default (bytes: Uint8Array) => new Transferring(bytes, [bytes.buffer as ArrayBuffer]);
