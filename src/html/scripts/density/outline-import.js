// An outline from a file, painted as one stroke.
import { findCountryAt } from '../map/borders.js';
import { boxAround, MOST_FILE_BYTES, OutlineError, paintOutline, readOutline } from './outline.js';
import { gridOver } from './raster.js';

/** Cells a side of a grid that follows an outline. */
const CELLS_OF_OUTLINE = 500;

/** Paints the cells inside the outline of a file; returns the box around it. Throws an OutlineError that says rule and cure. */
export async function importOutline(file, density, weight) {
  if (file.size > MOST_FILE_BYTES)
    throw new OutlineError('The file has more than 5 MB. Simplify the outline.');
  const polygons = readOutline(await file.text());
  const box = boxAround(polygons);
  // What is painted already keeps its grid.
  if (density.isEmpty())
    density.begin(findCountry(density, polygons, box).code, gridOver(box, CELLS_OF_OUTLINE));
  const { raster } = density;
  raster.beginStroke();
  paintOutline(polygons, raster.grid, (row, from, to) => raster.paintSpan(row, from, to, weight));
  if (!raster.endStroke()) {
    throw new OutlineError(
      'No cell has its centre inside the outline. Clear what is painted, so that the grid follows the outline.',
    );
  }
  density.changed();
  return box;
}

/** The country that is chosen, in whose middle the outline lies, or which has its first corner. */
function findCountry(density, polygons, [west, south, east, north]) {
  const [longitude, latitude] = polygons[0][0][0];
  const country =
    density.chosenCountry() ??
    findCountryAt(density.countries, (south + north) / 2, (west + east) / 2) ??
    findCountryAt(density.countries, latitude, longitude);
  if (country === undefined)
    throw new OutlineError('The outline lies in no country. Choose one, and try again.');
  return country;
}
