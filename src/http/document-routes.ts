import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from 'express';
import { stringify } from 'yaml';

const DOCUMENT_URL = 'http://localhost:8080';

export function readDocument(): string {
  return readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8');
}

/** The published document, with this server's own address in it. */
export function documentRoutes(baseUrl: string): Router {
  const json = readDocument().replaceAll(DOCUMENT_URL, baseUrl);
  const yaml = stringify(JSON.parse(json), { aliasDuplicateObjects: false });
  const router = Router();
  router.get('/api/partners/v2.0/openapi.json', (_request, response) => {
    response.type('application/json').send(json);
  });
  router.get('/api/partners/v2.0/openapi.yaml', (_request, response) => {
    response.type('application/yaml').send(yaml);
  });
  return router;
}
