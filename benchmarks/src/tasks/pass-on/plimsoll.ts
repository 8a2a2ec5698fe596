import { move } from '@plimsoll/pool/worker';

export default (bytes: Uint8Array): Uint8Array => move(bytes);
