import { Transferring } from '../../contenders/workers/transferring.js';
import { carry } from '../../shapes/carry.js';

export default carry((bytes) => new Transferring(bytes, [bytes.buffer]));
