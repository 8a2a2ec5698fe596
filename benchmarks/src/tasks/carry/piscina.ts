import { move } from 'piscina';
import { carry } from '../../shapes/carry.js';

export default carry(move);
