export { type ErrorCode, PlimsollError } from './errors.js';
