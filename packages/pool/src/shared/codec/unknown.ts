/** Thrown inside the encoder for a value that only the platform's own structured clone can copy (or refuse). */
export const UNKNOWN = Symbol('value for structured clone');
