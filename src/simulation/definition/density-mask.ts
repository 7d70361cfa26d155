/** Which cells of a grid lie in a country: one scanline for each row, or the cells that its border crosses. */
import { CellSet } from './cell-set.ts';
import type { DensityGrid } from './fleet-definition.ts';
import type { Country, Ring } from '../environment/geography.ts';

/** Longitudes are also tried one full circle further, for grids that cross the antimeridian. */
const LONGITUDE_SHIFTS_DEG = [0, 360, -360];

/** The cells (row-major) whose centre lies inside the country. */
export function maskCellsInsideCountry(country: Country, grid: DensityGrid): CellSet {
  const crossings: number[][] = Array.from({ length: grid.rows }, () => []);
  for (const ring of country.rings) addRowCrossings(ring, grid, crossings);
  const inside = new CellSet(grid.rows * grid.cols);
  for (const [row, found] of crossings.entries()) {
    found.sort((a, b) => a - b);
    for (const shift of LONGITUDE_SHIFTS_DEG) {
      for (let i = 0; i + 1 < found.length; i += 2) {
        const column = (x: number) => Math.ceil((x + shift - grid.origin_lon) / grid.cell_deg - 0.5);
        const from = Math.max(0, column(found[i] ?? 0));
        const to = Math.min(grid.cols, column(found[i + 1] ?? 0));
        if (from < to) inside.add(row * grid.cols + from, row * grid.cols + to);
      }
    }
  }
  return inside;
}

/** Adds to each row the longitudes where the ring crosses the latitude of its centres. */
function addRowCrossings(ring: Ring, grid: DensityGrid, crossings: readonly number[][]): void {
  let x0 = ring[ring.length - 2] ?? 0;
  let y0 = ring[ring.length - 1] ?? 0;
  for (let i = 0; i < ring.length; i += 2) {
    const x1 = ring[i] ?? 0;
    const y1 = ring[i + 1] ?? 0;
    // Row r has its centres at origin_lat - (r + 0.5) * cell_deg.
    const rowOf = (y: number) => (grid.origin_lat - y) / grid.cell_deg - 0.5;
    const first = Math.max(0, Math.ceil(rowOf(Math.max(y0, y1))));
    const last = Math.min(grid.rows - 1, Math.ceil(rowOf(Math.min(y0, y1))) - 1);
    for (let row = first; row <= last; row++) {
      const y = grid.origin_lat - (row + 0.5) * grid.cell_deg;
      crossings[row]?.push(x0 + ((x1 - x0) * (y - y0)) / (y1 - y0));
    }
    x0 = x1;
    y0 = y1;
  }
}

/** Cells through which the border runs, found by walking it in quarters of a cell. */
export function maskBorderCells(country: Country, grid: DensityGrid): CellSet {
  const touched = new CellSet(grid.rows * grid.cols);
  const mark = (x: number, y: number) => {
    const row = Math.floor((grid.origin_lat - y) / grid.cell_deg);
    if (row < 0 || row >= grid.rows) return;
    for (const shift of LONGITUDE_SHIFTS_DEG) {
      const col = Math.floor((x + shift - grid.origin_lon) / grid.cell_deg);
      if (col >= 0 && col < grid.cols) touched.add(row * grid.cols + col);
    }
  };
  for (const ring of country.rings) {
    for (let i = 0; i < ring.length; i += 2) {
      const next = (i + 2) % ring.length;
      const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = [ring[i], ring[i + 1], ring[next], ring[next + 1]];
      const reach = Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0));
      const steps = Math.min(10_000, Math.ceil((4 * reach) / grid.cell_deg) + 1);
      for (let step = 0; step <= steps; step++) {
        mark(x0 + ((x1 - x0) * step) / steps, y0 + ((y1 - y0) * step) / steps);
      }
    }
  }
  return touched;
}
