// A preview of the largest raster.
import { randomUUID } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { previewFleet } from '../../src/simulation/preview/preview.ts';
import type { DensityRaster } from '../../src/simulation/definition/fleet-definition.ts';
import { resolve } from './definition.ts';

/** 16 million cells over Germany, filled in squares. */
export function largestRaster(): DensityRaster {
  const [rows, cols] = [4000, 4000];
  const cells = Buffer.alloc(rows * cols);
  for (let i = 0; i < cells.length; i++) cells[i] = 1 + (((i / cols) >> 6) ^ ((i % cols) >> 6));
  return {
    country: 'DE',
    dataset_version: 'bench',
    boundary_version: 'natural-earth-4.1-50m',
    grid: { origin_lat: 55.1, origin_lon: 5.8, cell_deg: 0.0025, rows, cols },
    weights: deflateRawSync(cells).toString('base64'),
  };
}

export const PREVIEW = 'preview of 1,000 on 4000 x 4000 cells';
export const PREVIEW_MEMORY = 'preview of 1,000 on 4000 x 4000 cells, memory';

/** Milliseconds of a preview, and by how many MB it has grown the process since `before`. */
export function measurePreview(raster: DensityRaster, before: number): { ms: number; mb: number } {
  const start = performance.now();
  previewFleet(randomUUID(), resolve(raster), new Date());
  const ms = performance.now() - start;
  return { ms, mb: (process.memoryUsage.rss() - before) / 1e6 };
}
