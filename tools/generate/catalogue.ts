import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** An entry of a problem's `errors`. */
export interface FieldErrorExample {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly in?: string;
  readonly code?: string;
  readonly detail: string;
}

/** What is particular to the example of a problem. */
export interface ProblemExample {
  readonly instance?: string;
  readonly detail?: string;
  readonly errors?: readonly FieldErrorExample[];
}

interface Text {
  readonly status: number;
  readonly title: string;
  readonly cause: string;
  readonly cure: string;
}

interface ProblemEntry extends Text {
  readonly scope: 'problem';
  /** Who answers it, where no operation does. */
  readonly beside_operations?: string;
  /** The `detail` of the answer where none is given. */
  readonly detail: string;
  /** Where it is registered; the address of its own page otherwise. */
  readonly type?: string;
  readonly example?: ProblemExample;
}

interface FieldEntry extends Text {
  readonly scope: 'field';
  readonly detail?: string;
  readonly example: FieldErrorExample;
}

/** An entry of openapi/errors.yaml. */
export type CatalogueEntry = ProblemEntry | FieldEntry;

/** openapi/errors.yaml, by code. */
export type Catalogue = Readonly<Record<string, CatalogueEntry>>;

export function readCatalogue(root: string): Catalogue {
  return parse(readFileSync(join(root, 'openapi/errors.yaml'), 'utf8')) as Catalogue;
}
