import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express from 'express';
import supertest from 'supertest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES } from '../../generated/routes.ts';
import type { Route } from '../../generated/routes.ts';
import { createSecurityHeaders } from '../../src/http/security-headers.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const ids = { org_id: () => api.own.orgId };

test.each(ROUTES.map((route) => [route.operationId, route] as const))(
  'no browser guesses the type of an answer of %s',
  async (_id, route) => {
    const path = route.path.replace('{org_id}', ids.org_id()).replaceAll(/\{\w+\}/g, 'x');
    for (const authorization of ['', `Bearer ${api.own.admin.token}`]) {
      const { headers } = await api.fetch(route.method, path, { authorization, accept: 'application/json' });
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
      expect(headers).not.toHaveProperty('strict-transport-security');
    }
  },
  120_000,
);

test.each([
  ['https://api.example.com', 'max-age=31536000'],
  ['http://localhost:8080', undefined],
])('under %s browsers are told %s', async (baseUrl, value) => {
  const app = express().use(createSecurityHeaders(baseUrl), (_request, response) => {
    response.json({});
  });
  const { headers } = await supertest(app).get('/');
  expect(headers['strict-transport-security']).toBe(value);
});

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, { content?: unknown }> }>>;
  components: { schemas: Record<string, unknown> };
}

/** Names of properties that are a secret, and of the schema of a signed link, in an answer with all that it refers to. */
function findSecrets(document: Document, { path, method }: Route): string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (key === 'properties')
        for (const name of Object.keys(value as object))
          if (/^(?:secret|client_secret|password|access_token)$/.test(name)) found.add(name);
      if (key === '$ref' && typeof value === 'string' && !seen.has(value)) {
        seen.add(value);
        if (value.endsWith('/ResolutionLink')) found.add('link');
        visit(document.components.schemas[value.split('/').at(-1) ?? '']);
      }
      visit(value);
    }
  };
  const responses = document.paths[path]?.[method]?.responses ?? {};
  for (const [status, response] of Object.entries(responses))
    if (status.startsWith('2')) visit(response.content);
  return [...found];
}

test('an answer with a secret or a signed link is documented as one that no cache keeps', () => {
  const file = join(import.meta.dirname, '../../generated/openapi.json');
  const document = JSON.parse(readFileSync(file, 'utf8')) as Document;
  const withSecrets = ROUTES.filter((route) => findSecrets(document, route).length > 0);
  expect(withSecrets.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining([
      'createWebhook',
      'rotateWebhookSecret',
      'listActions',
      'listInformation',
      'issueToken',
    ]),
  );
  expect(withSecrets.filter(({ notStored }) => !notStored)).toEqual([]);
});

test('such answers say so', async () => {
  for (const id of ['listActions', 'listInformation'] as const) {
    expect(await api.call(id)).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
  }
  const body = { url: 'https://hooks.example.com/', topics: ['device.information'] };
  const created = await api.call('createWebhook', { body });
  expect(created).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } });
  const rotated = await api.call('rotateWebhookSecret', { path: { webhook_id: String(created.body.id) } });
  expect(rotated).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
  expect((await api.call('listUsers')).headers['cache-control']).toBe('no-store');
});
