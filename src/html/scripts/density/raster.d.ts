export interface Grid {
  origin_lat: number;
  origin_lon: number;
  cell_deg: number;
  rows: number;
  cols: number;
}
export declare class DensityRaster {
  readonly weights: Uint8Array;
  constructor(grid: Grid, weights?: Uint8Array);
  beginStroke(): void;
  paintSpan(row: number, fromColumn: number, toColumn: number, weight: number): void;
  endStroke(): boolean;
  undo(): boolean;
  redo(): boolean;
  clear(): void;
  isEmpty(): boolean;
  resample(grid: Grid): DensityRaster;
}
export declare function columnOf(grid: Grid, longitude: number): number;
export declare function gridOver(box: readonly number[], mostCells: number): Grid;
