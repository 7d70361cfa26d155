import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from 'express';
import { stringify } from 'yaml';
import { readOnly } from './methods.ts';

const DOCUMENT_URL = 'http://localhost:8080';
const PATH = '/api/partners/v2.0/openapi';

export function readDocument(): string {
  return readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8');
}

/** The published document, with this server's own address in it. */
export function documentRoutes(baseUrl: string): Router {
  const json = readDocument().replaceAll(DOCUMENT_URL, baseUrl);
  const yaml = stringify(JSON.parse(json), { aliasDuplicateObjects: false });
  const router = Router({ caseSensitive: true });
  router.get(`${PATH}.json`, (_request, response) => {
    response.type('application/json').send(json);
  });
  router.get(`${PATH}.yaml`, (_request, response) => {
    response.type('application/yaml').send(yaml);
  });
  router.all([`${PATH}.json`, `${PATH}.yaml`], readOnly);
  return router;
}
