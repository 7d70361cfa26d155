/** The sun of a solar day at a place: when it is up, and where it stands in each quarter hour of that time. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import type { SolarDay } from './sun.ts';

const RADIANS = Math.PI / 180;

/** Cosine of the hour angle of sunrise beyond which, and of the latitude below which, the whole day is looked at. */
const NEARLY_POLAR = 0.9;
const NEAR_POLE = 0.1;
/** Quarter hours that are looked at before the sun rises and after it sets by the declination of noon. */
const MARGIN = 2;

/** The quarter hours of a solar day from `from` up to and without `to`; the sun is down in all others. */
export class SolarRows {
  from = 0;
  to = 0;
  /** Cosine of the zenith angle, at most 0 with the sun down. */
  readonly heights = new Float64Array(QUARTER_HOURS_PER_DAY);
  readonly sinDeclinations = new Float64Array(QUARTER_HOURS_PER_DAY);
  readonly cosDeclinations = new Float64Array(QUARTER_HOURS_PER_DAY);
  readonly sinHours = new Float64Array(QUARTER_HOURS_PER_DAY);
  readonly cosHours = new Float64Array(QUARTER_HOURS_PER_DAY);
}

/** The sun at a place, latitude and longitude in degrees. */
export class SiteSun {
  readonly #longitude: number;
  readonly #sinLatitude: number;
  readonly #cosLatitude: number;
  /** Quarter hours by which the solar day begins before the UTC day, -48..48. */
  readonly #lead: number;

  constructor(latitude: number, longitude: number, lead: number) {
    this.#longitude = longitude;
    this.#sinLatitude = Math.sin(latitude * RADIANS);
    this.#cosLatitude = Math.cos(latitude * RADIANS);
    this.#lead = lead;
  }

  /** Hour angle in the middle of the first quarter hour of a solar day, by the UTC day of the same number, radians. */
  #firstAngle({ equationOfTime, stepMinutes }: SolarDay): number {
    const minutes = equationOfTime + 4 * this.#longitude + stepMinutes * (0.5 - this.#lead);
    return (minutes / 4 - 180) * RADIANS;
  }

  /** Sets the quarter hours of a solar day in which the sun may be up. */
  setSpan(sun: SolarDay, rows: SolarRows): void {
    const cosRise =
      (-this.#sinLatitude * (sun.sinDeclination + sun.sinDeclinationChange / 2)) /
      (this.#cosLatitude * (sun.cosDeclination + sun.cosDeclinationChange / 2));
    rows.from = 0;
    rows.to = QUARTER_HOURS_PER_DAY;
    if (this.#cosLatitude < NEAR_POLE || Math.abs(cosRise) > NEARLY_POLAR) return;
    const step = (sun.stepMinutes / 4) * RADIANS;
    const noon = -this.#firstAngle(sun) / step;
    const half = Math.acos(cosRise) / step;
    rows.from = Math.max(0, Math.floor(noon - half) - MARGIN);
    rows.to = Math.min(QUARTER_HOURS_PER_DAY, Math.ceil(noon + half) + MARGIN);
  }

  /** Writes where the sun stands in the quarter hours that setSpan has set. */
  fill(sun: SolarDay, rows: SolarRows): void {
    const { from, to, heights, sinDeclinations, cosDeclinations, sinHours, cosHours } = rows;
    const { stepMinutes, cosStep, sinStep } = sun;
    const { sinDeclination, cosDeclination, sinDeclinationChange, cosDeclinationChange } = sun;
    const cosLatitude = this.#cosLatitude;
    const sinLatitude = this.#sinLatitude;
    const hourAngle = this.#firstAngle(sun) + from * (stepMinutes / 4) * RADIANS;
    let cosHour = Math.cos(hourAngle);
    let sinHour = Math.sin(hourAngle);
    const first = 0.5 - this.#lead;
    for (let i = from; i < to; i++) {
      const part = (i + first) / QUARTER_HOURS_PER_DAY;
      const sinNow = sinDeclination + sinDeclinationChange * part;
      const cosNow = cosDeclination + cosDeclinationChange * part;
      heights[i] = sinNow * sinLatitude + cosNow * cosHour * cosLatitude;
      sinDeclinations[i] = sinNow;
      cosDeclinations[i] = cosNow;
      sinHours[i] = sinHour;
      cosHours[i] = cosHour;
      const cosNext = cosHour * cosStep - sinHour * sinStep;
      sinHour = sinHour * cosStep + cosHour * sinStep;
      cosHour = cosNext;
    }
  }
}
