/** The text of `engine.ts` with its imports; `scripts/bundle.mjs` writes this module. */
export declare const ENGINE: string;
/** The same for `start-engine.ts`: an expression whose value is `{ startEngine }`. */
export declare const STARTER: string;
