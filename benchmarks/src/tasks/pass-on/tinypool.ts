import Tinypool from 'tinypool';

export default (bytes: Uint8Array) => Tinypool.move(bytes);
