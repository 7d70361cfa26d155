/** Position of the sun (NOAA general solar position, Spencer's series), with the day's terms computed once. */

export interface SolarTerms {
  /** Declination in radians. */
  readonly declination: number;
  /** Equation of time in minutes. */
  readonly equationOfTime: number;
}

const DAY_MS = 86_400_000;

/** Declination and equation of time at an instant. */
export function solarTerms(atMs: number): SolarTerms {
  const at = new Date(atMs);
  const year = at.getUTCFullYear();
  const start = Date.UTC(year, 0, 1);
  const days = (Date.UTC(year + 1, 0, 1) - start) / DAY_MS;
  const g = ((2 * Math.PI) / days) * ((atMs - start) / DAY_MS - 0.5);
  const [c1, s1] = [Math.cos(g), Math.sin(g)];
  const [c2, s2] = [Math.cos(2 * g), Math.sin(2 * g)];
  const [c3, s3] = [Math.cos(3 * g), Math.sin(3 * g)];
  return {
    declination:
      0.006918 - 0.399912 * c1 + 0.070257 * s1 - 0.006758 * c2 + 0.000907 * s2 - 0.002697 * c3 + 0.00148 * s3,
    equationOfTime: 229.18 * (0.000075 + 0.001868 * c1 - 0.032077 * s1 - 0.014615 * c2 - 0.040849 * s2),
  };
}

/** Unit vector towards the sun: east, north, up (the cosine of the zenith angle). */
export interface SunVector {
  readonly east: number;
  readonly north: number;
  readonly up: number;
}

/** Where the sun stands; degrees, longitude positive to the east. */
export function sunVector(terms: SolarTerms, atMs: number, latitude: number, longitude: number): SunVector {
  const minutes = (((atMs % DAY_MS) + DAY_MS) % DAY_MS) / 60_000;
  const trueSolarMinutes = minutes + terms.equationOfTime + 4 * longitude;
  const hourAngle = ((trueSolarMinutes / 4 - 180) * Math.PI) / 180;
  const phi = (latitude * Math.PI) / 180;
  const cosDecl = Math.cos(terms.declination);
  const sinDecl = Math.sin(terms.declination);
  const cosHour = Math.cos(hourAngle);
  return {
    east: -cosDecl * Math.sin(hourAngle),
    north: sinDecl * Math.cos(phi) - cosDecl * cosHour * Math.sin(phi),
    up: sinDecl * Math.sin(phi) + cosDecl * cosHour * Math.cos(phi),
  };
}

/** Altitude and azimuth (from north, clockwise) in degrees; no refraction. */
export function sunPosition(
  atMs: number,
  latitude: number,
  longitude: number,
): { altitude: number; azimuth: number } {
  const { east, north, up } = sunVector(solarTerms(atMs), atMs, latitude, longitude);
  const degrees = 180 / Math.PI;
  return { altitude: Math.asin(up) * degrees, azimuth: (Math.atan2(east, north) * degrees + 360) % 360 };
}
