import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A page as tools/generate/reference writes it into the list of pages. */
export interface PageEntry {
  /** `/docs/operations/createUser` */
  readonly path: string;
  /** Its files in the folder, without what says which of the two they are. */
  readonly file: string;
  readonly title: string;
  readonly label: string;
  readonly group: string;
  readonly summary: string;
  readonly isListedElsewhere: boolean;
}

const FOLDER = join(import.meta.dirname, '../../generated/reference');

/** Each page that is generated, in the order of the navigation. */
export function readPageEntries(): PageEntry[] {
  return JSON.parse(readReferenceFile('pages.json')) as PageEntry[];
}

/** Where the list is that the search looks through. */
export const SEARCH_FILE = join(FOLDER, 'search.json');

/** A file of the reference, with the example address of the document in it. */
export function readReferenceFile(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8');
}
