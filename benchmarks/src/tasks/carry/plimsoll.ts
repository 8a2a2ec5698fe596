import { move } from '@plimsoll/pool/worker';
import { carry } from '../../shapes/carry.js';

export default carry(move);
