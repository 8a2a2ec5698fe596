import { move } from '@plimsoll/pool/piscina'; // was: 'piscina'

export default ({ a, b }) => a + b;
export const multiply = ({ a, b }) => a * b;
export const zeros = ({ length }) => move(new ArrayBuffer(length));
