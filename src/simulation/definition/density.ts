/** A density raster made ready for drawing: checked, cut to its country, with cumulative weights (docs/simulation.md#density-raster). */
import { createHash } from 'node:crypto';
import type { FieldError } from '../../domain/api/problem.ts';
import { decodeDensityWeights } from './density-weights.ts';
import type { CellSet } from './cell-set.ts';
import { maskBorderCells, maskCellsInsideCountry } from './density-mask.ts';
import type { DensityGrid, DensityRaster, DefinitionWarning } from './fleet-definition.ts';
import { findCountry, isInsideCountry, wrapLongitude } from '../environment/geography.ts';
import type { Country } from '../environment/geography.ts';
import { NOISE_CHANNEL, hashCounter, drawUniform } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';

export interface Density {
  readonly country: Country;
  readonly grid: DensityGrid;
  /** One byte for each cell of the grid, row-major, north-west first. */
  readonly weights: Uint8Array;
  /** The cells that can be drawn, if their weight is not 0. */
  readonly drawable: CellSet;
  /**
   * Sum of the weights that can be drawn up to the end of each block of BLOCK_CELLS cells: 255 in each of 4000 x 4000 cells is
   * below 2^32. A sum for each cell would take 64 MB there.
   */
  readonly cumulativeWeights: Uint32Array;
  readonly nonzeroCells: number;
  /** Non-zero cells outside the country. */
  readonly droppedCells: number;
  /** SHA-256 of the unpacked weights, hex. */
  readonly weightsSha256: string;
  readonly warnings: readonly DefinitionWarning[];
}

/** Cells of a block, of which the one that is drawn is found by passing over them. */
const BLOCK_CELLS = 64;

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
  let drawable = maskCellsInsideCountry(country, grid);
  let { usedCells, cumulativeWeights } = sumBlocks(weights, drawable);
  if (usedCells === 0) {
    drawable = maskBorderCells(country, grid);
    ({ usedCells, cumulativeWeights } = sumBlocks(weights, drawable));
    if (usedCells === 0) return { errors: [outsideCountryError(country, grid, weights)] };
    const detail =
      'No centre of a cell lies inside the country, so every cell that its border crosses is used.';
    warnings.push({ pointer: '/density', code: 'density_mask_skipped', detail });
  } else if (usedCells < nonzeroCells) {
    const detail = `${nonzeroCells - usedCells} of ${nonzeroCells} cells lie outside ${country.code} and take no household.`;
    warnings.push({ pointer: '/density/weights', code: 'density_cells_dropped', detail });
  }
  const density = {
    country,
    grid,
    weights,
    drawable,
    cumulativeWeights,
    nonzeroCells,
    droppedCells: nonzeroCells - usedCells,
    weightsSha256: createHash('sha256').update(weights).digest('hex'),
    warnings,
  };
  return { density };
}

/** How many cells can be drawn, and the sum of their weights up to the end of each block. */
function sumBlocks(
  weights: Uint8Array,
  drawable: CellSet,
): { readonly usedCells: number; readonly cumulativeWeights: Uint32Array } {
  const cumulativeWeights = new Uint32Array(Math.ceil(weights.length / BLOCK_CELLS));
  let [usedCells, sum] = [0, 0];
  for (let block = 0; block < cumulativeWeights.length; block++) {
    const end = Math.min(weights.length, (block + 1) * BLOCK_CELLS);
    for (let cell = block * BLOCK_CELLS; cell < end; cell++) {
      const weight = weights[cell] ?? 0;
      if (weight === 0 || !drawable.has(cell)) continue;
      usedCells++;
      sum += weight;
    }
    cumulativeWeights[block] = sum;
  }
  return { usedCells, cumulativeWeights };
}

function outsideCountryError(country: Country, grid: DensityGrid, weights: Uint8Array): FieldError {
  const flipped = { ...grid, origin_lat: grid.origin_lat + grid.rows * grid.cell_deg };
  const inside = maskCellsInsideCountry(country, flipped);
  const hit = weights.some(
    (weight, cell) => weight !== 0 && (inside.has(cell) || inside.has(mirroredCell(grid, cell))),
  );
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
  const { grid } = density;
  const cell = drawCell(density, hashCounter(seed, index, NOISE_CHANNEL.densityCell, 0));
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

/** The cell for a number from 0 to 2^32 - 1: the first at whose end the cumulative weight is beyond that share of the total. */
function drawCell({ cumulativeWeights, weights, drawable }: Density, drawn: number): number {
  const total = cumulativeWeights[cumulativeWeights.length - 1] ?? 0;
  const target = Number((BigInt(drawn) * BigInt(total)) >> 32n);
  let block = 0;
  for (let high = cumulativeWeights.length - 1; block < high;) {
    const middle = (block + high) >> 1;
    if ((cumulativeWeights[middle] ?? 0) > target) high = middle;
    else block = middle + 1;
  }
  let sum = block === 0 ? 0 : (cumulativeWeights[block - 1] ?? 0);
  for (let cell = block * BLOCK_CELLS; ; cell++) {
    if (drawable.has(cell)) sum += weights[cell] ?? 0;
    if (sum > target) return cell;
  }
}

/** Box around the cells in use, in degrees; west > east when it crosses the antimeridian. */
export function computeDensityBounds(density: Density): {
  north: number;
  south: number;
  east: number;
  west: number;
} {
  const { grid, weights, drawable } = density;
  let [top, bottom, left, right] = [Infinity, 0, Infinity, 0];
  for (let row = 0, cell = 0; row < grid.rows; row++) {
    for (let col = 0; col < grid.cols; col++, cell++) {
      if (weights[cell] === 0 || !drawable.has(cell)) continue;
      if (row < top) top = row;
      if (row > bottom) bottom = row;
      if (col < left) left = col;
      if (col > right) right = col;
    }
  }
  const round = (degrees: number) => Math.round(degrees * 1e6) / 1e6;
  return {
    north: round(grid.origin_lat - top * grid.cell_deg),
    south: round(grid.origin_lat - (bottom + 1) * grid.cell_deg),
    east: round(wrapLongitude(grid.origin_lon + (right + 1) * grid.cell_deg)),
    west: round(wrapLongitude(grid.origin_lon + left * grid.cell_deg)),
  };
}
