/** Points of the coasts of all land (Natural Earth 1:50m, world-atlas), thinned to one in each cell of a grid. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';

/** Side of the cells of which each keeps a point, degrees: some 20 km, near enough for the sea's mildness. */
const CELL_DEGREES = 0.25;
/** Longest way between two points of a coast, degrees: straight coasts have few points of their own. */
const STEP_DEGREES = 0.25;
const UNITS_PER_DEGREE = 100;

/** Longitude and latitude of the points in hundredths of a degree, flat, each pair relative to the one before. */
export function coastPoints(): number[] {
  const path = createRequire(import.meta.url).resolve('world-atlas/countries-50m.json');
  const topology = JSON.parse(readFileSync(path, 'utf8')) as Topology;
  const countries = topology.objects['countries'] as GeometryCollection;
  // A line that one country alone has lies at the sea; those on the antimeridian and at the pole are cuts.
  const lines = mesh(topology, countries, (a, b) => a === b).coordinates;
  const cells = new Map<string, [number, number]>();
  for (const line of lines) {
    for (const [i, [x = 0, y = 0]] of line.entries()) {
      const [toX = x, toY = y] = line[i + 1] ?? [];
      if (isCut(x, y, toX, toY)) continue;
      const steps = Math.ceil(Math.max(Math.abs(toX - x), Math.abs(toY - y), 1e-9) / STEP_DEGREES);
      for (let step = 0; step < steps; step++) {
        const at: [number, number] = [x + ((toX - x) * step) / steps, y + ((toY - y) * step) / steps];
        const cell = at.map((degrees) => Math.floor(degrees / CELL_DEGREES)).join(' ');
        if (!cells.has(cell)) cells.set(cell, at);
      }
    }
  }
  return packed([...cells.values()].sort((a, b) => a[1] - b[1] || a[0] - b[0]));
}

function isCut(x: number, y: number, toX: number, toY: number): boolean {
  return (
    (Math.abs(x) > 179.99 && Math.abs(toX) > 179.99) || (y < -89 && toY < -89) || Math.abs(toX - x) > 180
  );
}

function packed(points: readonly (readonly [number, number])[]): number[] {
  let [lastX, lastY] = [0, 0];
  return points.flatMap(([x, y]) => {
    const [nextX, nextY] = [Math.round(x * UNITS_PER_DEGREE), Math.round(y * UNITS_PER_DEGREE)];
    const pair = [nextX - lastX, nextY - lastY];
    [lastX, lastY] = [nextX, nextY];
    return pair;
  });
}
