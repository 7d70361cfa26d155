/** Position of the sun; the terms that change by the day can be computed apart from the hour angle. */
import { DAY_MS } from '../../domain/api/durations.ts';

export interface SolarTerms {
  /** Declination in radians. */
  readonly declination: number;
  /** Equation of time in minutes. */
  readonly equationOfTime: number;
}

const RADIANS = Math.PI / 180;
const J2000_MS = Date.UTC(2000, 0, 1, 12);

/**
 * Declination and equation of time at an instant, by the Astronomical Almanac's low-precision formulas (0.01
 * degrees from 1950 to 2050). Spencer's series of the day of the year is off by 0.4 degrees within a leap cycle.
 */
export function solarTermsAt(atMs: number): SolarTerms {
  const days = (atMs - J2000_MS) / DAY_MS;
  const meanLongitude = 280.46 + 0.9856474 * days;
  const anomaly = (357.528 + 0.9856003 * days) * RADIANS;
  const longitude = (meanLongitude + 1.915 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly)) * RADIANS;
  const obliquity = (23.439 - 0.0000004 * days) * RADIANS;
  const rightAscension = Math.atan2(Math.cos(obliquity) * Math.sin(longitude), Math.cos(longitude)) / RADIANS;
  // Four minutes a degree, the difference brought into -180..180.
  const ahead = (((meanLongitude - rightAscension + 180) % 360) + 360) % 360;
  return {
    declination: Math.asin(Math.sin(obliquity) * Math.sin(longitude)),
    equationOfTime: 4 * (ahead - 180),
  };
}

/** What all places share of a UTC day; between two midnights the terms are all but straight lines. */
export interface SolarDay {
  /** At its start, in minutes. */
  readonly equationOfTime: number;
  /** By which the sun goes round in a step, in minutes. */
  readonly turn: number;
  readonly cosTurn: number;
  readonly sinTurn: number;
  /** Of the declination at its start, and the rise of both until its end. */
  readonly sinDawn: number;
  readonly cosDawn: number;
  readonly sinStep: number;
  readonly cosStep: number;
}

/** A UTC day (days since 1970) cut into so many steps. */
export function solarDay(day: number, steps: number): SolarDay {
  const dawn = solarTermsAt(day * DAY_MS);
  const dusk = solarTermsAt((day + 1) * DAY_MS);
  const turn = (dusk.equationOfTime - dawn.equationOfTime + 1440) / steps;
  const sinDawn = Math.sin(dawn.declination);
  const cosDawn = Math.cos(dawn.declination);
  return {
    equationOfTime: dawn.equationOfTime,
    turn,
    cosTurn: Math.cos((turn / 4) * RADIANS),
    sinTurn: Math.sin((turn / 4) * RADIANS),
    sinDawn,
    cosDawn,
    sinStep: Math.sin(dusk.declination) - sinDawn,
    cosStep: Math.cos(dusk.declination) - cosDawn,
  };
}

/** Unit vector towards the sun: east, north, up (the cosine of the zenith angle). */
export interface SunDirection {
  readonly east: number;
  readonly north: number;
  readonly up: number;
}

/** Where the sun stands; degrees, longitude positive to the east. */
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

/** Altitude and azimuth (from north, clockwise) in degrees; no refraction. */
export function sunPosition(
  atMs: number,
  latitude: number,
  longitude: number,
): { altitude: number; azimuth: number } {
  const { east, north, up } = sunDirection(solarTermsAt(atMs), atMs, latitude, longitude);
  const degrees = 180 / Math.PI;
  return { altitude: Math.asin(up) * degrees, azimuth: (Math.atan2(east, north) * degrees + 360) % 360 };
}
