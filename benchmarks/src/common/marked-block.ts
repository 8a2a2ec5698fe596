/** The part of a page that a command writes: what stands between `<!-- name: command -->` and `<!-- /name -->`. */
export class MarkedBlock {
  readonly #begin: string;
  readonly #end: string;

  constructor(name: string, command: string) {
    this.#begin = `<!-- ${name}: ${command} -->`;
    this.#end = `<!-- /${name} -->`;
  }

  /** @returns undefined: the page has no marks for it. */
  textIn(page: string): string | undefined {
    return this.#partsOf(page)?.[1].trim();
  }

  /** @throws when the page has no marks. */
  replacedIn(page: string, text: string): string {
    const parts = this.#partsOf(page);
    if (parts === undefined) throw new Error(`the page has no ${this.#begin}`);
    return `${parts[0]}${this.#begin}\n\n${text}\n\n${this.#end}${parts[2]}`;
  }

  /** What stands before the text, the text, and what stands behind it. */
  #partsOf(page: string): [string, string, string] | undefined {
    const [before, rest] = page.split(this.#begin);
    const [text, after] = rest?.split(this.#end) ?? [];
    return before === undefined || text === undefined || after === undefined
      ? undefined
      : [before, text, after];
  }
}
