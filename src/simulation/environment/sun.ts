/** Position of the sun. What changes by the day is computed apart from the hour angle, which changes by the minute. */
import { DAY_MS } from '../../domain/api/durations.ts';

/** Where the earth is on its way around the sun. */
export interface SolarTerms {
  /** Declination in radians. */
  readonly declination: number;
  /** Equation of time, by which a sundial is ahead of mean solar time, in minutes. */
  readonly equationOfTime: number;
}

const RADIANS = Math.PI / 180;
const J2000_MS = Date.UTC(2000, 0, 1, 12);

/**
 * Declination and equation of time at an instant in ms since 1970, by the low-precision formulas of the Astronomical
 * Almanac (0.01 degrees from 1950 to 2050). The series of Spencer (1971), which needs the day of the year alone, is off by
 * 0.4 degrees within a cycle of leap years.
 */
export function solarTermsAt(atMs: number): SolarTerms {
  const days = (atMs - J2000_MS) / DAY_MS;
  const meanLongitude = 280.46 + 0.9856474 * days;
  const anomaly = (357.528 + 0.9856003 * days) * RADIANS;
  const longitude = (meanLongitude + 1.915 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly)) * RADIANS;
  const obliquity = (23.439 - 0.0000004 * days) * RADIANS;
  const rightAscension = Math.atan2(Math.cos(obliquity) * Math.sin(longitude), Math.cos(longitude)) / RADIANS;
  // Four minutes a degree, the difference brought into -180..180.
  const difference = (((meanLongitude - rightAscension + 180) % 360) + 360) % 360;
  return {
    declination: Math.asin(Math.sin(obliquity) * Math.sin(longitude)),
    equationOfTime: 4 * (difference - 180),
  };
}

/**
 * The sun's motion on a UTC day cut into equal steps, the same for all places. Between two midnights equation of time and
 * declination are taken as straight lines.
 */
export interface SolarDay {
  /** Equation of time at the start of the day, minutes. */
  readonly equationOfTime: number;
  /** Solar time that passes in a step, minutes; and the cosine and sine of the angle that the sun moves. */
  readonly stepMinutes: number;
  readonly cosStep: number;
  readonly sinStep: number;
  /** Sine and cosine of the declination at the start of the day. */
  readonly sinDeclination: number;
  readonly cosDeclination: number;
  /** What is added to each of them until the end of the day. */
  readonly sinDeclinationChange: number;
  readonly cosDeclinationChange: number;
}

/** The solar day of a UTC day (days since 1970) in so many equal steps. */
export function computeSolarDay(day: number, steps: number): SolarDay {
  const start = solarTermsAt(day * DAY_MS);
  const end = solarTermsAt((day + 1) * DAY_MS);
  const stepMinutes = (end.equationOfTime - start.equationOfTime + 1440) / steps;
  const sinDeclination = Math.sin(start.declination);
  const cosDeclination = Math.cos(start.declination);
  return {
    equationOfTime: start.equationOfTime,
    stepMinutes,
    cosStep: Math.cos((stepMinutes / 4) * RADIANS),
    sinStep: Math.sin((stepMinutes / 4) * RADIANS),
    sinDeclination,
    cosDeclination,
    sinDeclinationChange: Math.sin(end.declination) - sinDeclination,
    cosDeclinationChange: Math.cos(end.declination) - cosDeclination,
  };
}

/** Unit vector towards the sun; `up` is the cosine of the zenith angle, below 0 at night. */
export interface SunDirection {
  readonly east: number;
  readonly north: number;
  readonly up: number;
}

/**
 * Direction of the sun at an instant in ms, seen from a place in degrees (longitude positive to the east). `terms` are those
 * of the instant or one near it (solarTermsAt).
 */
export function sunDirection(
  terms: SolarTerms,
  atMs: number,
  latitude: number,
  longitude: number,
): SunDirection {
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

/** Altitude and azimuth (from north, clockwise) of the sun in degrees at an instant in ms; without refraction. */
export function sunPosition(
  atMs: number,
  latitude: number,
  longitude: number,
): { altitude: number; azimuth: number } {
  const { east, north, up } = sunDirection(solarTermsAt(atMs), atMs, latitude, longitude);
  const degrees = 180 / Math.PI;
  return { altitude: Math.asin(up) * degrees, azimuth: (Math.atan2(east, north) * degrees + 360) % 360 };
}
