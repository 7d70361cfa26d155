import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FIELD_PROBLEMS, PROBLEMS } from '../../generated/problems.ts';
import { listUncovered } from '../support/operation-coverage.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

/** A raster over Austria: one cell of one degree, raw. */
const raster = {
  country: 'AT',
  dataset_version: '1',
  boundary_version: '1',
  grid: { origin_lat: 48, origin_lon: 14, cell_deg: 1, rows: 1, cols: 3 },
  weights: Buffer.from([1, 2, 3]).toString('base64'),
};

describe('a fleet definition is refused at', () => {
  test.each([
    [
      '/density/grid/cell_deg',
      'exclusive_minimum',
      { density: { ...raster, grid: { ...raster.grid, cell_deg: 0 } } },
    ],
    ['/density/weights', 'density_encoding', { density: { ...raster, weights: '!!!!' } }],
    [
      '/density/weights',
      'density_empty',
      { density: { ...raster, weights: Buffer.alloc(3).toString('base64') } },
    ],
    [
      '/density/weights',
      'density_size',
      { density: { ...raster, weights: Buffer.alloc(4, 1).toString('base64') } },
    ],
    [
      '/density/grid',
      'density_off_globe',
      { density: { ...raster, grid: { ...raster.grid, origin_lat: -89.5 } } },
    ],
    [
      '/density/grid',
      'density_outside_country',
      { density: { ...raster, grid: { ...raster.grid, origin_lon: -60 } } },
    ],
    ['/density/country', 'country_unknown', { density: { ...raster, country: 'ZZ' } }],
    ['/groups/1/name', 'duplicate_group_name', { groups: [{ name: 'a' }, { name: 'a' }] }],
    ['/groups', 'groups_total_out_of_range', { groups: [{ name: 'a', count: 0 }] }],
  ])('%s: %s', async (pointer, code, definition) => {
    for (const id of ['createFleet', 'previewFleet'] as const) {
      const answer = await api.call(id, { body: { request_id: randomUUID(), ...definition } });
      expect(answer.status).toBe(422);
      expect(answer.body.errors).toContainEqual({ pointer, code, detail: expect.any(String) });
    }
    expect((await api.call('listFleets')).body).toEqual([]);
  });
});

describe('a webhook address is refused:', () => {
  test.each([
    ['https://partner.example.com/#part', 'fragment_forbidden'],
    ['https://partner.example.com:25/', 'forbidden_port'],
    ['https://10.0.0.1/', 'forbidden_address'],
    ['https://user:pass@partner.example.com/', 'credentials_forbidden'],
    ['http://partner.example.com/', 'https_required'],
  ])('%s: %s', async (url, code) => {
    const answer = await api.call('createWebhook', { body: { url } });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([{ pointer: '/url', code, detail: expect.any(String) }]);
    expect((await api.call('listWebhooks')).body.total).toBe(0);
  });
});

describe('every code', () => {
  test.each([...Object.entries(PROBLEMS), ...Object.entries(FIELD_PROBLEMS)])(
    '%s has a page with cause and cure',
    async (code, { cause, cure }) => {
      expect([cause, cure].every((text) => text.length > 10)).toBe(true);
      const page = await api.fetch('get', `/docs/errors/${code}`);
      expect(page.status).toBe(200);
      expect(page.text).toContain(code);
    },
  );

  test('and every pair of operation and status is missed when no test has seen it', () => {
    expect(listUncovered([])).toEqual(expect.arrayContaining(['createUser 201', 'code email_taken']));
    expect(listUncovered(['createUser 201', 'code email_taken'])).not.toEqual(
      expect.arrayContaining(['createUser 201']),
    );
  });
});
