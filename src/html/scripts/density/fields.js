// The density as the fields of the form have it, which are sent with it.
import { MOST_CELLS_A_SIDE } from './raster.js';

const GRID = ['origin_lat', 'origin_lon', 'cell_deg', 'rows', 'cols'];
const field = (form, name) => form.elements.namedItem(`density/${name}`);

/** The grid of the fields; undefined where it is none. */
export function readGrid(form) {
  const grid = Object.fromEntries(
    GRID.map((name) => [name, Number(field(form, `grid/${name}`).value || NaN)]),
  );
  const isSide = (count) => Number.isInteger(count) && count >= 1 && count <= MOST_CELLS_A_SIDE;
  const isOnGlobe = Math.abs(grid.origin_lat) <= 90 && Math.abs(grid.origin_lon) <= 180;
  return isSide(grid.rows) && isSide(grid.cols) && isOnGlobe && grid.cell_deg > 0 && grid.cell_deg <= 1
    ? grid
    : undefined;
}

/** Writes a grid and what belongs to it; what is named already keeps its name. */
export function writeGrid(form, grid, { country, boundaryVersion }) {
  for (const name of GRID) field(form, `grid/${name}`).value = String(grid[name]);
  field(form, 'country').value = country;
  field(form, 'dataset_version').value ||= 'painted';
  field(form, 'boundary_version').value ||= boundaryVersion;
}

/** Takes the density out of the form. */
export function clearDensity(form) {
  for (const name of GRID) field(form, `grid/${name}`).value = '';
  for (const name of ['country', 'dataset_version', 'boundary_version', 'weights'])
    field(form, name).value = '';
}

export const readCountry = (form) => field(form, 'country').value;
export const readWeightsText = (form) => field(form, 'weights').value.trim();

/** Writes the weights, and tells the form that they are new. */
export function writeWeightsText(form, text) {
  field(form, 'weights').value = text;
  form.dispatchEvent(new Event('input'));
}

/** Calls back when somebody types in a field of the density: its name, and whether it belongs to the grid. */
export function whenDensityChanges(form, callback) {
  form.addEventListener('change', ({ target }) => {
    const name = /^density\/(.*)$/.exec(target?.name ?? '')?.[1];
    if (name !== undefined) callback(name, name.startsWith('grid/'));
  });
}
