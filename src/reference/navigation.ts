import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readAsset } from '../html/assets.ts';
import type { Asset } from '../html/assets.ts';
import { SEARCH_FILE } from './page-list.ts';
import type { PageEntry } from './page-list.ts';

interface Group {
  readonly name: string;
  readonly pages: readonly Pick<PageEntry, 'path' | 'label'>[];
  /** It has the page that is shown. */
  readonly isOpen: boolean;
}

/** What the layout shows around a page of the reference. */
export interface Surroundings {
  readonly path: string;
  readonly groups: readonly Group[];
  readonly isPageOfSearch: boolean;
  /** Addresses of what the page loads. */
  readonly stylesheet: string;
  readonly script: string;
  readonly library: string;
  readonly index: string;
}

/** Pages beside those that are generated: `/docs/simulator` has a place in the navigation too. */
export const SIMULATOR_PAGE: Pick<PageEntry, 'path' | 'label' | 'group'> = {
  path: '/docs/simulator',
  label: 'Validation of the simulator',
  group: 'Guide',
};

const FOLDER = join(import.meta.dirname, '../html');

/** The navigation and the search that every page of the reference has. */
export class Navigation {
  readonly #entries: readonly Pick<PageEntry, 'path' | 'label' | 'group' | 'isListedElsewhere'>[];
  readonly #stylesheet = readAsset('reference', 'css', join(FOLDER, 'styles/reference.css'));
  readonly #script = readAsset('search', 'js', join(FOLDER, 'scripts/search.js'));
  readonly #library = readAsset('minisearch', 'js', fileURLToPath(import.meta.resolve('minisearch')));
  readonly #index = readAsset('pages', 'json', SEARCH_FILE);

  constructor(entries: readonly PageEntry[]) {
    const first = entries.findIndex(({ group }) => group !== SIMULATOR_PAGE.group);
    const simulator = { ...SIMULATOR_PAGE, isListedElsewhere: false };
    this.#entries = [...entries.slice(0, first), simulator, ...entries.slice(first)];
  }

  /** The files that the pages load. */
  get assets(): readonly Asset[] {
    return [this.#stylesheet, this.#script, this.#library, this.#index];
  }

  /** What is around the page at an address. */
  forPage(path: string): Surroundings {
    const shown = this.#entries.filter((each) => !each.isListedElsewhere || each.path === path);
    const current = shown.find((each) => each.path === path)?.group;
    const names = [...new Set(shown.map(({ group }) => group))];
    return {
      path,
      groups: names.map((name) => ({
        name,
        pages: shown.filter(({ group }) => group === name),
        isOpen: name === current,
      })),
      isPageOfSearch: path === '/docs/search',
      stylesheet: this.#stylesheet.path,
      script: this.#script.path,
      library: this.#library.path,
      index: this.#index.path,
    };
  }
}
