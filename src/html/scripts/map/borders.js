// The borders of countries as the service knows them, by which densities are cut too. They are projected once; of each view only the
// rings in it are drawn, without the corners that fall on the same pixel: as objects of Leaflet a hundred thousand corners took a
// second of a busy machine for each view.
import { addCanvasLayer } from './canvas-layer.js';
import { readToken, whenThemeChanges } from './tokens.js';

const UNITS_PER_DEGREE = 1_000;
const TILE_SIZE = 256;
/** How far corners of a border stand apart at least, in pixels. */
const LEAST_STEP = 0.7;
const LINE_WIDTH = 0.75;
/** Where the map ends to the north and south, degrees (EPSG:3857). */
const LAST_LATITUDE = 85.051_128_78;

/** Loads borders and draws them; {version, countries} of {code, box, rings}, or undefined where they do not come. */
export async function addBorders(map, path) {
  const loaded = await fetch(path)
    .then((answer) => answer.json())
    .catch(() => undefined);
  // What stands on the map is right without borders too.
  if (loaded === undefined) return undefined;
  const countries = Object.entries(loaded.countries).map(([code, { box, rings }]) => ({
    code,
    box,
    rings: rings.map(projectRing),
  }));
  const layer = addCanvasLayer(map, 'borders', 200, (context) => drawBorders(map, context, countries));
  whenThemeChanges(layer.redraw);
  layer.redraw();
  return { version: loaded.boundary_version, countries };
}

/** The country in which a place lies; undefined at sea. */
export function findCountryAt(countries, latitude, longitude) {
  const [x, y] = [toX(longitude), toY(latitude)];
  return countries.find(({ rings }) => {
    let isInside = false;
    for (const { corners } of rings) {
      for (let at = 0, before = corners.length - 2; at < corners.length; before = at, at += 2) {
        const [x0, y0, x1, y1] = [corners[before], corners[before + 1], corners[at], corners[at + 1]];
        if (y0 > y !== y1 > y && x < x0 + ((x1 - x0) * (y - y0)) / (y1 - y0)) isInside = !isInside;
      }
    }
    return isInside;
  });
}

/** Where a longitude and a latitude lie on a map of the world that is 1 wide and high (EPSG:3857). */
const toX = (longitude) => (longitude + 180) / 360;
const toY = (latitude) => {
  const radians = (Math.max(-LAST_LATITUDE, Math.min(LAST_LATITUDE, latitude)) * Math.PI) / 180;
  return (1 - Math.log(Math.tan(Math.PI / 4 + radians / 2)) / Math.PI) / 2;
};

/** Longitudes and latitudes in thousandths of a degree, each pair relative to the one before, as corners on the map. */
function projectRing(ring) {
  const corners = new Float64Array(ring.length);
  let [longitude, latitude] = [0, 0];
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < ring.length; at += 2) {
    longitude += ring[at];
    latitude += ring[at + 1];
    const [x, y] = [toX(longitude / UNITS_PER_DEGREE), toY(latitude / UNITS_PER_DEGREE)];
    corners[at] = x;
    corners[at + 1] = y;
    [west, east] = [Math.min(west, x), Math.max(east, x)];
    [north, south] = [Math.min(north, y), Math.max(south, y)];
  }
  return { corners, west, north, east, south };
}

function drawBorders(map, context, countries) {
  const world = TILE_SIZE * 2 ** map.getZoom();
  const { min, max } = map.getPixelBounds();
  context.fillStyle = readToken('surface');
  context.strokeStyle = readToken('control');
  context.lineWidth = LINE_WIDTH;
  for (const { rings } of countries) {
    context.beginPath();
    for (const ring of rings) {
      const isInView =
        ring.east * world >= min.x &&
        ring.west * world <= max.x &&
        ring.south * world >= min.y &&
        ring.north * world <= max.y;
      if (isInView) traceRing(context, ring.corners, world, min);
    }
    context.fill('evenodd');
    context.stroke();
  }
}

function traceRing(context, corners, world, origin) {
  let [lastX, lastY] = [Infinity, Infinity];
  for (let at = 0; at < corners.length; at += 2) {
    const x = corners[at] * world - origin.x;
    const y = corners[at + 1] * world - origin.y;
    if (Math.abs(x - lastX) < LEAST_STEP && Math.abs(y - lastY) < LEAST_STEP) continue;
    if (lastX === Infinity) context.moveTo(x, y);
    else context.lineTo(x, y);
    [lastX, lastY] = [x, y];
  }
  context.closePath();
}
