import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';

const EARTH_RADIUS_KM = 6371;

/** Great-circle distance of the user `u`, km; null where it has no coordinates. */
export function distanceKm(from: {
  readonly latitude: number;
  readonly longitude: number;
}): RawBuilder<number> {
  const [latitude, longitude] = [from.latitude, from.longitude].map(
    (value) => sql`${value}::double precision`,
  );
  return sql`2 * ${EARTH_RADIUS_KM}::double precision * asin(least(1, sqrt(
    power(sin(radians(${orZero(sql`u.latitude - ${latitude}`)}) / 2), 2)
    + cos(radians(${orZero(sql`${latitude}`)})) * cos(radians(${orZero(sql`u.latitude`)}))
      * power(sin(radians(${orZero(sql`u.longitude - ${longitude}`)}) / 2), 2))))`;
}

/** Degrees, of which less than a tenth of a millimetre is none: PostgreSQL refuses results too small for a double (22003). */
const orZero = (degrees: RawBuilder<unknown>) =>
  sql`case when abs(${degrees}) < 1e-9 then 0 else ${degrees} end`;
