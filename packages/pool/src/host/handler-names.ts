/** What a handler is: a function that a worker file exports. */
export interface HandlerName {
  readonly filename: string;
  readonly name: string;
  /** How it is called: bits of `shared/calls.ts`. */
  readonly call: number;
}

/** Handlers by number, and the numbers of handlers: tasks carry the number alone. */
export class HandlerNames {
  readonly all: HandlerName[] = [];
  readonly #ids = new Map<string, Map<string, number>>();
  readonly #onNew: (id: number, handler: HandlerName) => void;

  constructor(onNew: (id: number, handler: HandlerName) => void) {
    this.#onNew = onNew;
  }

  /** The number of a function of a file, called in some way. */
  idOf(filename: string, name: string, call = 0): number {
    let names = this.#ids.get(filename);
    if (names === undefined) {
      names = new Map();
      this.#ids.set(filename, names);
    }
    const key = call === 0 ? name : `${name}\0${call}`;
    let id = names.get(key);
    if (id === undefined) {
      const handler = { filename, name, call };
      id = this.all.push(handler) - 1;
      names.set(key, id);
      this.#onNew(id, handler);
    }
    return id;
  }

  of(id: number): HandlerName {
    return this.all[id] as HandlerName;
  }
}
