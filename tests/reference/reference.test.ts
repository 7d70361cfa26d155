import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import express from 'express';
import { FIELD_PROBLEMS, PROBLEMS } from '../../generated/problems.ts';
import { ROUTES } from '../../generated/routes.ts';
import { createReferencePages } from '../../src/reference/reference.ts';
import { Visitor } from '../portal/visitor.ts';

let server: Server;
let visitor: Visitor;
beforeAll(async () => {
  const app = express().use(createReferencePages({ baseUrl: 'https://partner.example' }));
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  visitor = new Visitor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('the reference shows every operation with its path, and this server instead of the example', async () => {
  const { status, text, headers } = await visitor.get('/docs');
  expect([status, headers['content-security-policy']]).toEqual([
    200,
    expect.stringContaining("default-src 'none'"),
  ]);
  const missing = ROUTES.filter(
    ({ operationId, path }) =>
      !text.includes(`id="${operationId}"`) || !text.includes(`<code>${path}</code>`),
  );
  expect(missing).toEqual([]);
  for (const part of [
    'id="deviceActionRequired"',
    '<code>groups[].weights</code>',
    'href="/api/partners/v2.0/openapi.json"',
    'href="/api/partners/v2.0/openapi.yaml"',
    'https://partner.example',
  ])
    expect(text).toContain(part);
  expect(text).not.toContain('localhost:8080');
  expect(text).not.toContain('undefined');
  expect((await visitor.get('/docs/')).text).toBe(text);
});

test('the reference is styled: its stylesheet is the one that is served', async () => {
  const { text } = await visitor.get('/docs');
  const path = /<link rel="stylesheet" href="([^"]+)"/.exec(text)?.[1] ?? '';
  const { status, headers } = await visitor.get(path);
  expect([path, status, headers['content-type']]).toEqual([path, 200, expect.stringContaining('text/css')]);
});

test('every problem and every field code has a page with cause and cure, reached from the list', async () => {
  const list = await visitor.get('/docs/errors/');
  const catalogue: Readonly<Record<string, { title: string }>> = { ...PROBLEMS, ...FIELD_PROBLEMS };
  for (const [code, { title }] of Object.entries(catalogue)) {
    expect(list.text).toContain(`href="/docs/errors/${code}"`);
    const page = await visitor.get(`/docs/errors/${code}`);
    expect([code, page.status]).toEqual([code, 200]);
    expect(page.text).toContain(`<h1>${title.replaceAll("'", '&#39;')}</h1>`);
    expect(page.text).toMatch(/<h2>Cause<\/h2>\n<p>.+<\/p>\n<h2>Cure<\/h2>\n<p>.+<\/p>/);
  }
});

test('an unknown code is 404, also one that every object has', async () => {
  for (const code of ['no_such_code', 'constructor', '__proto__', '%3Cscript%3E']) {
    const page = await visitor.get(`/docs/errors/${code}`);
    expect([code, page.status, page.text.includes('<script>')]).toEqual([code, 404, false]);
  }
});

test('the page of the simulator shows each figure with its verdict, and pictures that the policy lets in', async () => {
  const page = await visitor.get('/docs/simulator/');
  expect([page.status, page.headers['content-security-policy']]).toEqual([
    200,
    expect.stringContaining("img-src 'self'"),
  ]);
  const headings = [...page.text.matchAll(/<h2 [^>]*>(.*)<\/h2>/g)].map(([, heading]) => heading);
  expect(headings).toEqual([
    'Five households',
    'Weather',
    'People',
    'Cars',
    'House',
    'Neighbours',
    'Invariants',
  ]);
  expect(page.text).toMatch(
    /<td>8 DE<\/td><th scope="row">PV yield, 20 roofs in DE, kWh\/kWp<\/th><td>990<\/td><td>.*<\/td><td>\d+<\/td><td>911 to 1069<\/td><td>met<\/td>/,
  );
  const verdicts = [...page.text.matchAll(/<td>(met|shown|<strong>missed<\/strong>.*)<\/td><\/tr>/g)].map(
    ([, verdict = '']) => verdict,
  );
  const asked = verdicts.filter((verdict) => verdict !== 'shown');
  const met = asked.filter((verdict) => verdict === 'met');
  expect(page.text).toContain(`${met.length} of ${asked.length} are met`);
  for (const missed of asked.filter((verdict) => verdict !== 'met'))
    expect(missed).toMatch(/<\/strong>: .{20}/);
  expect(page.text).not.toMatch(/undefined|NaN|Infinity/);
  const charts = [...page.text.matchAll(/src="(\/docs\/simulator\/[a-z-]+\.svg)" alt="[^"]{40,}"/g)].map(
    (match) => match[1] ?? '',
  );
  expect(charts.length).toBe(page.text.match(/<img/g)?.length);
  expect(charts.filter((path) => path.includes('/household-'))).toHaveLength(10);
  for (const path of charts) {
    const chart = await visitor.get(path);
    expect([chart.status, chart.headers['content-type']]).toEqual([
      200,
      expect.stringContaining('image/svg+xml'),
    ]);
    expect(chart.headers['content-security-policy']).toContain("default-src 'none'");
  }
  expect((await visitor.get('/docs/simulator/report.json')).status).toBe(404);
});
