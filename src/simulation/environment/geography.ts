/** Land polygons of the countries (Natural Earth, see tools/generate/countries.ts) and planar tests on them. */
import file from '../../../generated/countries.json' with { type: 'json' };
import packedBoxes from '../../../generated/ring-boxes.json' with { type: 'json' };

/** A closed line as a flat list of longitude, latitude, longitude, … in degrees; the last point joins the first. */
export type Ring = Float64Array;

/** A country with its land borders. */
export interface Country {
  readonly code: string;
  /** [west, south, east, north] of the largest polygon, in degrees. */
  readonly box: readonly number[];
  readonly rings: readonly Ring[];
  /** [west, south, east, north] of each ring. */
  readonly ringBoxes: readonly (readonly number[])[];
}

/** Name of the set of borders in use. */
export const BOUNDARY_VERSION = file.boundary_version;

interface PackedCountry {
  readonly box: readonly number[];
  readonly rings: readonly (readonly number[])[];
}
const packed: Readonly<Record<string, PackedCountry>> = file.countries;
const unpacked = new Map<string, Country>();

const UNITS_PER_DEGREE = 1000;

/** [west, south, east, north] of each ring of a country, one after the other, in thousandths of a degree; known before rings are unpacked. */
const boxesByCountry: Readonly<Record<string, readonly number[]>> = packedBoxes;

function unpackRing(deltas: readonly number[]): Ring {
  const ring = new Float64Array(deltas.length);
  let [x, y] = [0, 0];
  for (let i = 0; i < deltas.length; i += 2) {
    x += deltas[i] ?? 0;
    y += deltas[i + 1] ?? 0;
    ring[i] = x / UNITS_PER_DEGREE;
    ring[i + 1] = y / UNITS_PER_DEGREE;
  }
  return ring;
}

function unpackBoxes(code: string): number[][] {
  const boxes: number[][] = [];
  const units = boxesByCountry[code] ?? [];
  for (let i = 0; i < units.length; i += 4) {
    boxes.push(units.slice(i, i + 4).map((each) => each / UNITS_PER_DEGREE));
  }
  return boxes;
}

/** Codes (ISO 3166-1 alpha-2) of all countries with borders, sorted. */
export const COUNTRY_CODES: readonly string[] = Object.keys(packed).sort();

/** Box [west, south, east, north] in degrees of the largest polygon of a country (alpha-2); undefined for an unknown code. */
export function findCountryBox(code: string): readonly number[] | undefined {
  return packed[code]?.box;
}

/** The country of a code (ISO 3166-1 alpha-2) with its borders, unpacked once; undefined for an unknown code. */
export function findCountry(code: string): Country | undefined {
  const found = unpacked.get(code);
  const source = packed[code];
  if (found || !source) return found;
  const country = {
    code,
    box: source.box,
    rings: source.rings.map(unpackRing),
    ringBoxes: unpackBoxes(code),
  };
  unpacked.set(code, country);
  return country;
}

/** A longitude in degrees brought into -180..180. */
export function wrapLongitude(longitude: number): number {
  return longitude >= -180 && longitude <= 180 ? longitude : ((((longitude + 180) % 360) + 360) % 360) - 180;
}

/** Whether a point in degrees lies on the land of a country: even-odd ray casting over all rings, on the plane of degrees. */
export function isInsideCountry(country: Country, latitude: number, longitude: number): boolean {
  let inside = false;
  for (const [index, ring] of country.rings.entries()) {
    const [west = 0, south = 0, east = 0, north = 0] = country.ringBoxes[index] ?? [];
    if (latitude < south || latitude > north || longitude < west || longitude > east) continue;
    let x0 = ring[ring.length - 2] ?? 0;
    let y0 = ring[ring.length - 1] ?? 0;
    for (let i = 0; i < ring.length; i += 2) {
      const x1 = ring[i] ?? 0;
      const y1 = ring[i + 1] ?? 0;
      if (y0 > latitude !== y1 > latitude && longitude < ((x0 - x1) * (latitude - y1)) / (y0 - y1) + x1) {
        inside = !inside;
      }
      x0 = x1;
      y0 = y1;
    }
  }
  return inside;
}

/** Distance within which a place belongs to the nearest land, km: the borders leave out islands and round off fjords. */
const SHORE_KM = 15;
const KM_PER_DEGREE = 111.2;

const kmPerLongitude = (latitude: number): number =>
  KM_PER_DEGREE * Math.max(0.01, Math.cos((latitude * Math.PI) / 180));

/** Square of the distance in km of a point from a line between two others, all relative to it, east and north in km. */
function squaredDistance(fromX: number, fromY: number, toX: number, toY: number): number {
  const [alongX, alongY] = [toX - fromX, toY - fromY];
  const length = alongX * alongX + alongY * alongY;
  const part = length === 0 ? 0 : Math.min(1, Math.max(0, -(fromX * alongX + fromY * alongY) / length));
  return (fromX + part * alongX) ** 2 + (fromY + part * alongY) ** 2;
}

/** Distance in km of a point in degrees from the borders of a country; Infinity when it is beyond SHORE_KM of their boxes. */
function borderDistanceKm(country: Country, latitude: number, longitude: number): number {
  const perLongitude = kmPerLongitude(latitude);
  const [marginX, marginY] = [SHORE_KM / perLongitude, SHORE_KM / KM_PER_DEGREE];
  let least = Infinity;
  for (const [index, ring] of country.rings.entries()) {
    const [west = 0, south = 0, east = 0, north = 0] = country.ringBoxes[index] ?? [];
    if (latitude < south - marginY || latitude > north + marginY) continue;
    if (longitude < west - marginX || longitude > east + marginX) continue;
    let fromX = ((ring[ring.length - 2] ?? 0) - longitude) * perLongitude;
    let fromY = ((ring[ring.length - 1] ?? 0) - latitude) * KM_PER_DEGREE;
    for (let i = 0; i < ring.length; i += 2) {
      const toX = ((ring[i] ?? 0) - longitude) * perLongitude;
      const toY = ((ring[i + 1] ?? 0) - latitude) * KM_PER_DEGREE;
      least = Math.min(least, squaredDistance(fromX, fromY, toX, toY));
      [fromX, fromY] = [toX, toY];
    }
  }
  return Math.sqrt(least);
}

/** Whether a point in degrees lies in the box of one of a country's rings, or within SHORE_KM of it; unpacks nothing. */
function isNearRing(code: string, latitude: number, longitude: number): boolean {
  const perLongitude = kmPerLongitude(latitude);
  const [marginX, marginY] = [SHORE_KM / perLongitude, SHORE_KM / KM_PER_DEGREE];
  const boxes = boxesByCountry[code] ?? [];
  for (let i = 0; i < boxes.length; i += 4) {
    const west = (boxes[i] ?? 0) / UNITS_PER_DEGREE - marginX;
    const south = (boxes[i + 1] ?? 0) / UNITS_PER_DEGREE - marginY;
    const east = (boxes[i + 2] ?? 0) / UNITS_PER_DEGREE + marginX;
    const north = (boxes[i + 3] ?? 0) / UNITS_PER_DEGREE + marginY;
    if (latitude >= south && latitude <= north && longitude >= west && longitude <= east) return true;
  }
  return false;
}

/** The countries with a border near a point in degrees, in the order of their codes: only these are unpacked. */
function listCountriesNear(latitude: number, longitude: number): Country[] {
  return COUNTRY_CODES.filter((code) => isNearRing(code, latitude, longitude)).flatMap(
    (code) => findCountry(code) ?? [],
  );
}

/**
 * Code (ISO 3166-1 alpha-2) of the country on whose land a point in degrees lies, or of the nearest one within 15 km;
 * null at sea.
 */
export function findCountryCodeAt(latitude: number, longitude: number): string | null {
  const near = listCountriesNear(latitude, longitude);
  const inside = near.find((country) => isInsideCountry(country, latitude, longitude));
  if (inside) return inside.code;
  let nearest: string | null = null;
  let least = SHORE_KM;
  for (const country of near) {
    const km = borderDistanceKm(country, latitude, longitude);
    if (km < least) [nearest, least] = [country.code, km];
  }
  return nearest;
}
