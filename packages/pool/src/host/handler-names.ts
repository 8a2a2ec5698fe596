/** What a handler is: a function that a worker file exports. */
export interface HandlerName {
  readonly filename: string;
  readonly name: string;
}

/** Handlers by number, and the numbers of handlers: tasks carry the number alone. */
export class HandlerNames {
  readonly all: HandlerName[] = [];
  readonly #ids = new Map<string, Map<string, number>>();
  readonly #onNew: (id: number, handler: HandlerName) => void;

  constructor(onNew: (id: number, handler: HandlerName) => void) {
    this.#onNew = onNew;
  }

  /** The number of a pair of file and name. */
  idOf(filename: string, name: string): number {
    let names = this.#ids.get(filename);
    if (names === undefined) {
      names = new Map();
      this.#ids.set(filename, names);
    }
    let id = names.get(name);
    if (id === undefined) {
      id = this.all.push({ filename, name }) - 1;
      names.set(name, id);
      this.#onNew(id, { filename, name });
    }
    return id;
  }

  of(id: number): HandlerName {
    return this.all[id] as HandlerName;
  }
}
