import { scryptSync } from 'node:crypto';

export default (password) => ({ password, hash: scryptSync(password, 'salt', 8).toString('hex') });
