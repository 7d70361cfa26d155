/** Distance of places from the sea. The points of the coasts are made by tools/generate/coast.ts. */
import file from '../../../generated/coast.json' with { type: 'json' };
import { EARTH_RADIUS_KM, unitVector } from './climate-terms.ts';

const RADIANS = Math.PI / 180;
const UNITS_PER_DEGREE = 100;

/** Latitudes and unit vectors of the points, in order of latitude. */
interface Coast {
  readonly latitudes: Float64Array;
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly z: Float64Array;
}

function unpackCoast(deltas: readonly number[]): Coast {
  const count = deltas.length / 2;
  const rows = () => new Float64Array(count);
  const coast = { latitudes: rows(), x: rows(), y: rows(), z: rows() };
  let [longitude, latitude] = [0, 0];
  for (let i = 0; i < count; i++) {
    longitude += deltas[2 * i] ?? 0;
    latitude += deltas[2 * i + 1] ?? 0;
    const [x, y, z] = unitVector(latitude / UNITS_PER_DEGREE, longitude / UNITS_PER_DEGREE);
    coast.latitudes[i] = (latitude / UNITS_PER_DEGREE) * RADIANS;
    coast.x[i] = x;
    coast.y[i] = y;
    coast.z[i] = z;
  }
  return coast;
}

/** Unpacked when the first place is asked for. */
let known: Coast | undefined;

/** Index of the first point that is not south of a latitude in radians. */
function firstFrom(latitudes: Float64Array, phi: number): number {
  let low = 0;
  let high = latitudes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((latitudes[middle] ?? 0) < phi) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Distance in km of a place in degrees from the nearest coast, at sea too; within some 15 km. */
export function coastDistanceKm(latitude: number, longitude: number): number {
  const { latitudes, x, y, z } = (known ??= unpackCoast(file.points));
  const phi = latitude * RADIANS;
  const [hereX, hereY, hereZ] = unitVector(latitude, longitude);
  const start = firstFrom(latitudes, phi);
  /** Square of the shortest chord so far, and the difference of latitude beyond which none is shorter. */
  let shortest = 4;
  let reach = Math.PI;
  for (const step of [-1, 1]) {
    for (let i = step < 0 ? start - 1 : start; i >= 0 && i < latitudes.length; i += step) {
      if (Math.abs((latitudes[i] ?? 0) - phi) > reach) break;
      const chord = ((x[i] ?? 0) - hereX) ** 2 + ((y[i] ?? 0) - hereY) ** 2 + ((z[i] ?? 0) - hereZ) ** 2;
      if (chord < shortest) {
        shortest = chord;
        reach = 2 * Math.asin(Math.min(1, Math.sqrt(chord) / 2));
      }
    }
  }
  return EARTH_RADIUS_KM * reach;
}
