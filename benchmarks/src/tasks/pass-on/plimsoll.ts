import { move } from '@plimsoll/pool';

export default (bytes: Uint8Array): Uint8Array => move(bytes);
