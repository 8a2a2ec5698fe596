/** `engine.ts` with all that it imports, as the text of a script; `scripts/bundle.mjs` writes the module. */
export declare const ENGINE: string;
/** `home.ts` in the same way: an expression whose value is `{ startEngine }`. */
export declare const HOME: string;
