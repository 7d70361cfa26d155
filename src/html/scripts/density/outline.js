// An outline from a GeoJSON file (RFC 7946), and the cells inside it.

export const MOST_FILE_BYTES = 5 * 1_024 * 1_024;
const MOST_POSITIONS = 200_000;
/** So deep may collections stand in each other. */
const MOST_LEVELS = 8;

/** Why a file is not taken: which rule it breaks, and what to do. */
export class OutlineError extends Error {}

/** The polygons of a file, each a list of rings of [longitude, latitude]. Throws an OutlineError that says rule and cure. */
export function readOutline(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new OutlineError('The file is not JSON. Export the outline as GeoJSON.');
  }
  const polygons = listPolygons(value, 0);
  if (polygons.length === 0) {
    throw new OutlineError(
      'The file has no Polygon and no MultiPolygon; points and lines enclose nothing. Export the area as a polygon.',
    );
  }
  let positions = 0;
  for (const polygon of polygons) {
    for (const ring of checkList(polygon)) {
      checkRing(ring);
      positions += ring.length;
    }
  }
  if (positions > MOST_POSITIONS) {
    const most = MOST_POSITIONS.toLocaleString('en');
    throw new OutlineError(
      `The outline has ${positions.toLocaleString('en')} positions; ${most} are the most. Simplify it.`,
    );
  }
  return polygons;
}

function listPolygons(value, level) {
  if (level > MOST_LEVELS)
    throw new OutlineError(
      `Collections stand in each other more than ${MOST_LEVELS} deep. Put the polygon at the top.`,
    );
  if (typeof value !== 'object' || value === null) return [];
  if (value.type === 'Polygon') return [value.coordinates];
  if (value.type === 'MultiPolygon') return [...checkList(value.coordinates)];
  if (value.type === 'Feature') return listPolygons(value.geometry, level + 1);
  const members = { FeatureCollection: value.features, GeometryCollection: value.geometries }[value.type];
  return members === undefined ? [] : checkList(members).flatMap((each) => listPolygons(each, level + 1));
}

function checkList(value) {
  if (Array.isArray(value)) return value;
  throw new OutlineError(
    'A polygon has no list of rings in its coordinates. Export the file anew as GeoJSON.',
  );
}

function checkRing(ring) {
  if (!Array.isArray(ring) || ring.length < 4) {
    throw new OutlineError(
      'A ring has fewer than four positions; the first stands at its end again. Close the outline into a polygon.',
    );
  }
  for (const position of ring) {
    const [longitude, latitude] = Array.isArray(position) ? position : [];
    if (isWithin(longitude, 180) && isWithin(latitude, 90)) continue;
    throw new OutlineError(
      `The position ${JSON.stringify(position)?.slice(0, 60)} is not longitude and latitude in degrees. Export the outline in WGS 84 (EPSG:4326).`,
    );
  }
}

function isWithin(value, most) {
  return typeof value === 'number' && Math.abs(value) <= most;
}

/** The box around polygons: [west, south, east, north]. */
export function boxAround(polygons) {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [longitude, latitude] of polygons.flat(2)) {
    west = Math.min(west, longitude);
    south = Math.min(south, latitude);
    east = Math.max(east, longitude);
    north = Math.max(north, latitude);
  }
  return [west, south, east, north];
}

/** Calls `paint(row, from, to)` for the cells of a grid whose centres lie inside the polygons, holes left out. */
export function paintOutline(polygons, grid, paint) {
  for (const rings of polygons) {
    const crossings = Array.from({ length: grid.rows }, () => []);
    for (const ring of rings) addCrossings(ring, grid, crossings);
    for (const [row, found] of crossings.entries()) {
      found.sort((a, b) => a - b);
      for (let at = 0; at + 1 < found.length; at += 2)
        paint(row, toColumn(grid, found[at]), toColumn(grid, found[at + 1]));
    }
  }
}

/** The first column whose centre lies east of a longitude. */
function toColumn(grid, longitude) {
  return Math.ceil((longitude - grid.origin_lon) / grid.cell_deg - 0.5);
}

/** Adds to each row the longitudes at which a ring crosses the latitude of its centres. */
function addCrossings(ring, grid, crossings) {
  const rowAt = (latitude) => (grid.origin_lat - latitude) / grid.cell_deg - 0.5;
  for (let at = 0; at < ring.length; at += 1) {
    const [x0, y0] = ring[at];
    const [x1, y1] = ring[(at + 1) % ring.length];
    const first = Math.max(0, Math.ceil(rowAt(Math.max(y0, y1))));
    const last = Math.min(grid.rows - 1, Math.ceil(rowAt(Math.min(y0, y1))) - 1);
    for (let row = first; row <= last; row += 1) {
      const latitude = grid.origin_lat - (row + 0.5) * grid.cell_deg;
      crossings[row].push(x0 + ((x1 - x0) * (latitude - y0)) / (y1 - y0));
    }
  }
}
