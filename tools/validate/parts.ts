/** The parts of the validation, each of which can be measured alone. */
import type { ColumnComparison } from './people-homes.ts';
import type { Picture } from './picture.ts';
import type { Row } from './row.ts';

/** A part's module. Same results on each run; what rows and pictures need alike it computes once. */
export interface Part {
  measure(): Promise<readonly Row[]>;
  draw(): readonly Picture[];
  /** Measured homes beside simulated ones, column by column, the worst first. */
  compareColumns?(): readonly ColumnComparison[];
}

/** In the order of the page. */
export const PARTS = {
  households: { heading: 'Five households', load: (): Promise<Part> => import('./households.ts') },
  weather: { heading: 'Weather', load: (): Promise<Part> => import('./weather.ts') },
  people: { heading: 'People', load: (): Promise<Part> => import('./people.ts') },
  cars: { heading: 'Cars', load: (): Promise<Part> => import('./cars.ts') },
  house: { heading: 'House', load: (): Promise<Part> => import('./house.ts') },
  neighbours: { heading: 'Neighbours', load: (): Promise<Part> => import('./neighbours.ts') },
  invariants: { heading: 'Invariants', load: (): Promise<Part> => import('./invariants.ts') },
} as const;
export type PartName = keyof typeof PARTS;

export const isPartName = (name: string): name is PartName => Object.hasOwn(PARTS, name);

/** The slowest first, so that no processor is left with it at the end. */
export const BY_DURATION = [
  'weather',
  'people',
  'cars',
  'house',
  'neighbours',
  'invariants',
  'households',
] as const satisfies readonly PartName[];
