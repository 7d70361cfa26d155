import type { Grid } from './raster.js';

type Polygons = number[][][][];
export declare class OutlineError extends Error {}
export declare function readOutline(text: string): Polygons;
export declare function boxAround(polygons: Polygons): number[];
export declare function paintOutline(
  polygons: Polygons,
  grid: Grid,
  paint: (row: number, from: number, to: number) => void,
): void;
