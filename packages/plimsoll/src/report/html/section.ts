/** What a report says first of a piece of work: the size to use, or why none can be named. */
export interface Verdict {
  /** `crypto`, a route, a command. */
  readonly work: string;
  /** The size to use; `null` when it is not known. */
  readonly size: number | null;
  /** The measurement does not carry it yet: it is what the estimates lean to. */
  readonly isEstimate: boolean;
  /** What it gains, with its interval; empty when that is not known. */
  readonly gain: string;
  /** How sure that is: the chance of being wrong, or the confidence. */
  readonly sure: string;
  readonly because: string;
}

/** A part of the page, of one result. */
export interface Section {
  /** Unique in the page. */
  readonly id: string;
  readonly title: string;
  /** Of what it is the result: `plimsoll bench`. */
  readonly kind: string;
  readonly verdicts: readonly Verdict[];
  /** HTML. */
  readonly body: string;
}

/** How much a section shows: of many results, single rounds are left out, so that the page stays small. */
export interface Detail {
  readonly rounds: boolean;
}

/** What a document becomes, given an id that nothing else in the page has. */
export type Render<Document> = (document: Document, id: string, detail: Detail) => Section;
