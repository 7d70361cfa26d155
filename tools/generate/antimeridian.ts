/** Polygons that run across the antimeridian, or around a pole, cut so that they can be read on the plane. */

/** A closed line: longitude and latitude of each point in degrees; the last point is the first. */
export type Ring = readonly (readonly number[])[];

/** The polygon's parts between -180 and 180 degrees; a polygon that does not cross the antimeridian is its only part. */
export function cutAtAntimeridian(rings: readonly Ring[]): (readonly Ring[])[] {
  const crosses = rings.some((ring) =>
    ring.some(([x = 0], i) => Math.abs(x - (ring[i + 1]?.[0] ?? x)) > 180),
  );
  if (!crosses) return [rings];
  const unrolled = rings.map(unroll);
  return [-360, 0, 360].flatMap((offset) => {
    const part = unrolled
      .map((ring) =>
        clip(clip(ring, -180 - offset, 1), 180 - offset, -1).map(([x = 0, y = 0]) => [x + offset, y]),
      )
      .filter((ring) => ring.length > 3);
    return part.length > 0 ? [part] : [];
  });
}

/** The ring without jumps, so that it may leave -180..180. One that runs around a pole is closed along it. */
function unroll(ring: Ring): Ring {
  let turn = 0;
  let before = ring[0]?.[0] ?? 0;
  const points = ring.map(([x = 0, y = 0]) => {
    if (x - before > 180) turn -= 360;
    if (x - before < -180) turn += 360;
    before = x;
    return [x + turn, y];
  });
  const [first, last] = [points[0] ?? [], points.at(-1) ?? []];
  if (first[0] === last[0]) return points;
  const pole = (first[1] ?? 0) < 0 ? -90 : 90;
  return [...points, [last[0] ?? 0, pole], [first[0] ?? 0, pole], first];
}

/** The part of a closed ring east (side 1) or west (side -1) of a longitude, closed (Sutherland and Hodgman). */
function clip(ring: Ring, longitude: number, side: 1 | -1): Ring {
  const isIn = ([x = 0]: readonly number[]) => (x - longitude) * side >= 0;
  const kept: (readonly number[])[] = [];
  for (const [i, point] of ring.slice(0, -1).entries()) {
    const next = ring[i + 1] ?? point;
    if (isIn(point)) kept.push(point);
    if (isIn(point) === isIn(next)) continue;
    const [x0 = 0, y0 = 0] = point;
    const [x1 = 0, y1 = 0] = next;
    kept.push([longitude, y0 + ((y1 - y0) * (longitude - x0)) / (x1 - x0)]);
  }
  const [first] = kept;
  return first === undefined ? [] : [...kept, first];
}
