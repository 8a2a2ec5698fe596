import Tinypool from 'tinypool';
import { carry } from '../../shapes/carry.js';

export default carry(Tinypool.move);
