// A statement that pg prepares under a name, once on each connection, and its way through Kysely.
import { hash } from 'node:crypto';
import type pg from 'pg';

/** Kysely passes text and values on as they are: the values say of which statement they are. */
const STATEMENT = Symbol('statement');

interface BoundValues extends Array<unknown> {
  [STATEMENT]?: NamedStatement;
}

/**
 * There must be no more of them than the program has statements: a connection keeps what it has prepared until it ends. The
 * digest of its text makes a name unique, and the same in every process.
 */
export class NamedStatement {
  readonly #text: string;
  /** How its columns are read, where not as all others. */
  readonly #types: pg.CustomTypesConfig | undefined;
  readonly #digest: string;
  #generation = 0;
  #name = '';

  constructor(text: string, types?: pg.CustomTypesConfig) {
    this.#text = text;
    this.#types = types;
    this.#digest = hash('sha256', types === undefined ? text : `${text} with types`).slice(0, 16);
    this.#setName();
  }

  get name(): string {
    return this.#name;
  }

  /** The values of one run; a client that `boundStatements` has seen runs them by name. */
  bind(values: unknown[]): readonly unknown[] {
    (values as BoundValues)[STATEMENT] = this;
    return values;
  }

  /** Prepares the statement anew on every connection. `usedName` has turned out useless; a newer one stays. */
  rename(usedName: string): void {
    if (this.#name !== usedName) return;
    this.#generation += 1;
    this.#setName();
  }

  toQuery(values: unknown[]): pg.QueryConfig {
    const query = { name: this.#name, text: this.#text, values };
    return this.#types === undefined ? query : { ...query, types: this.#types };
  }

  #setName(): void {
    this.#name = `partner_${this.#digest}_${this.#generation}`;
  }
}

/** What pg is to be given for these values when they are those of a named statement. */
export function toNamedQuery(values: unknown): pg.QueryConfig | undefined {
  return Array.isArray(values) ? (values as BoundValues)[STATEMENT]?.toQuery(values) : undefined;
}
