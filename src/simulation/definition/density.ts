/** A density raster made ready for drawing: checked, cut to its country, with cumulated weights (docs/simulation.md#density-raster). */
import { createHash } from 'node:crypto';
import type { FieldError } from '../../domain/api/problem.ts';
import { decodeDensityWeights } from './density-weights.ts';
import { maskCellsInsideCountry, listBorderCells } from './density-mask.ts';
import type { DensityGrid, DensityRaster, DefinitionWarning } from './fleet-definition.ts';
import { findCountry, isInsideCountry, wrapLongitude } from '../environment/geography.ts';
import type { Country } from '../environment/geography.ts';
import { NOISE_CHANNEL, hashCounter, drawUniform } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';

export interface Density {
  readonly country: Country;
  readonly grid: DensityGrid;
  /** Row-major indices of the cells that can be drawn. */
  readonly cells: Uint32Array;
  /** Sum of the weights up to and with each of those cells: 255 in each of 4000 x 4000 cells is below 2^32. */
  readonly cumulativeWeights: Uint32Array;
  /** One byte for each cell of the grid, row-major, north-west first. */
  readonly weights: Uint8Array;
  readonly nonzeroCells: number;
  /** Non-zero cells outside the country. */
  readonly droppedCells: number;
  /** SHA-256 of the unpacked weights, hex. */
  readonly weightsSha256: string;
  readonly warnings: readonly DefinitionWarning[];
}

type DensityOutcome = { readonly density: Density } | { readonly errors: readonly FieldError[] };

/**
 * Decodes and checks a raster as it is sent. Decoding sixteen million cells takes some 0.1 s: do it once and pass on the
 * result. The errors are those of /density and below.
 */
export function decodeDensity({ country, grid, weights: text }: DensityRaster): DensityOutcome {
  const weights = decodeDensityWeights(text, grid.rows * grid.cols);
  if (weights instanceof Uint8Array) return prepareDensity(country, grid, weights);
  return { errors: [...validateCountryAndGrid(country, grid), weights] };
}

/** Checks decoded weights, a byte for each cell, and makes them ready for drawing locations. */
export function prepareDensity(countryCode: string, grid: DensityGrid, weights: Uint8Array): DensityOutcome {
  const errors = validateCountryAndGrid(countryCode, grid);
  const nonzeroCells = countNonzero(weights);
  if (nonzeroCells === 0) {
    const detail = 'Every cell is 0; give at least one cell a weight from 1 to 255.';
    errors.push({ pointer: '/density/weights', code: 'density_empty', detail });
  }
  const country = findCountry(countryCode);
  if (!country || errors.length > 0) return { errors };
  return clipToCountry(country, grid, weights, nonzeroCells);
}

function validateCountryAndGrid(countryCode: string, grid: DensityGrid): FieldError[] {
  const errors: FieldError[] = [];
  if (!findCountry(countryCode)) {
    const detail = `No borders for ${countryCode}; the fleet configuration lists the countries.`;
    errors.push({ pointer: '/density/country', code: 'country_unknown', detail });
  }
  const south = grid.origin_lat - grid.rows * grid.cell_deg;
  if (south < -90 - 1e-9 || grid.cols * grid.cell_deg > 360 + 1e-9) {
    const detail = `The grid reaches down to ${south.toFixed(3)} degrees and is ${(grid.cols * grid.cell_deg).toFixed(3)} degrees wide; it may not pass -90 or 360. The origin is the north-west corner.`;
    errors.push({ pointer: '/density/grid', code: 'density_off_globe', detail });
  }
  return errors;
}

function countNonzero(weights: Uint8Array): number {
  let count = 0;
  for (const weight of weights) if (weight !== 0) count++;
  return count;
}

function clipToCountry(
  country: Country,
  grid: DensityGrid,
  weights: Uint8Array,
  nonzeroCells: number,
): DensityOutcome {
  const warnings: DefinitionWarning[] = [];
  const inside = maskCellsInsideCountry(country, grid);
  let used = cellsWhere(weights.length, (cell) => weights[cell] !== 0 && inside[cell] === 1);
  if (used.length === 0) {
    const touched = listBorderCells(country, grid);
    used = cellsWhere(weights.length, (cell) => weights[cell] !== 0 && touched.has(cell));
    if (used.length === 0) {
      const nonzero = cellsWhere(weights.length, (cell) => weights[cell] !== 0);
      return { errors: [outsideCountryError(country, grid, nonzero)] };
    }
    const detail =
      'No centre of a cell lies inside the country, so every cell that its border crosses is used.';
    warnings.push({ pointer: '/density', code: 'density_mask_skipped', detail });
  } else if (used.length < nonzeroCells) {
    const detail = `${nonzeroCells - used.length} of ${nonzeroCells} cells lie outside ${country.code} and take no household.`;
    warnings.push({ pointer: '/density/weights', code: 'density_cells_dropped', detail });
  }
  const cumulated = new Uint32Array(used.length);
  let sum = 0;
  for (let i = 0; i < used.length; i++) cumulated[i] = sum += weights[used[i] ?? 0] ?? 0;
  const density = {
    country,
    grid,
    cells: used,
    weights,
    cumulativeWeights: cumulated,
    nonzeroCells,
    droppedCells: nonzeroCells - used.length,
    weightsSha256: createHash('sha256').update(weights).digest('hex'),
    warnings,
  };
  return { density };
}

/**
 * The cells from 0 to length - 1 that are taken. Sixteen million take some 0.1 s; filter() and entries() of a typed array
 * make a list of them and take ten times as long.
 */
function cellsWhere(length: number, isTaken: (cell: number) => boolean): Uint32Array {
  const found = new Uint32Array(length);
  let count = 0;
  for (let cell = 0; cell < length; cell++) if (isTaken(cell)) found[count++] = cell;
  return found.slice(0, count);
}

function outsideCountryError(country: Country, grid: DensityGrid, nonzero: Uint32Array): FieldError {
  const flipped = { ...grid, origin_lat: grid.origin_lat + grid.rows * grid.cell_deg };
  const inside = maskCellsInsideCountry(country, flipped);
  const hit = nonzero.some((cell) => inside[cell] === 1 || inside[mirroredCell(grid, cell)] === 1);
  const hint = hit
    ? ' Read from the south-west corner it would: origin_lat must be the northern edge, and row 0 the northernmost.'
    : '';
  const detail = `No cell with a weight touches ${country.code}.${hint}`;
  return { pointer: '/density/grid', code: 'density_outside_country', detail };
}

/** The cell at the position of `cell` when row 0 is the southernmost. */
function mirroredCell(grid: DensityGrid, cell: number): number {
  const row = Math.floor(cell / grid.cols);
  return (grid.rows - 1 - row) * grid.cols + (cell % grid.cols);
}

const MAX_LOCATION_DRAWS = 8;

/** Location of household `index`: a cell in proportion to the weights, then a point of it on the country's land. */
export function drawLocation(
  density: Density,
  seed: Seed,
  index: number,
): { latitude: number; longitude: number } {
  const { cumulativeWeights, cells, grid } = density;
  const total = cumulativeWeights[cumulativeWeights.length - 1] ?? 0;
  const target = Number(
    (BigInt(hashCounter(seed, index, NOISE_CHANNEL.densityCell, 0)) * BigInt(total)) >> 32n,
  );
  let low = 0;
  for (let high = cumulativeWeights.length - 1; low < high;) {
    const middle = (low + high) >> 1;
    if ((cumulativeWeights[middle] ?? 0) > target) high = middle;
    else low = middle + 1;
  }
  const cell = cells[low] ?? 0;
  const at = (x: number, y: number) => ({
    latitude: grid.origin_lat - (Math.floor(cell / grid.cols) + y) * grid.cell_deg,
    longitude: wrapLongitude(grid.origin_lon + ((cell % grid.cols) + x) * grid.cell_deg),
  });
  for (let attempt = 0; attempt < MAX_LOCATION_DRAWS; attempt++) {
    const x = drawUniform(seed, index, NOISE_CHANNEL.jitterLon, attempt);
    const location = at(x, drawUniform(seed, index, NOISE_CHANNEL.jitterLat, attempt));
    if (isInsideCountry(density.country, location.latitude, location.longitude)) return location;
  }
  return at(0.5, 0.5);
}

/** Box around the cells in use, in degrees; west > east when it crosses the antimeridian. */
export function computeDensityBounds(density: Density): {
  north: number;
  south: number;
  east: number;
  west: number;
} {
  const { grid, cells } = density;
  // One loop: map() and reduce() of sixteen million cells take half a second.
  let [top, bottom, left, right] = [Infinity, 0, Infinity, 0];
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] ?? 0;
    const row = Math.floor(cell / grid.cols);
    const col = cell - row * grid.cols;
    if (row < top) top = row;
    if (row > bottom) bottom = row;
    if (col < left) left = col;
    if (col > right) right = col;
  }
  const round = (degrees: number) => Math.round(degrees * 1e6) / 1e6;
  return {
    north: round(grid.origin_lat - top * grid.cell_deg),
    south: round(grid.origin_lat - (bottom + 1) * grid.cell_deg),
    east: round(wrapLongitude(grid.origin_lon + (right + 1) * grid.cell_deg)),
    west: round(wrapLongitude(grid.origin_lon + left * grid.cell_deg)),
  };
}
