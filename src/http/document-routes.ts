import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from 'express';
import { rejectOtherThanGet } from './methods.ts';

const DOCUMENT_URL = 'http://localhost:8080';
const PATH = '/api/partners/v2.0/openapi';

/** The published document, with this server's own address in it. */
export function createDocumentRoutes(baseUrl: string): Router {
  // Bytes, which all answers share: a text would be copied for each client, however slowly it reads.
  const [json, yaml] = ['openapi.json', 'openapi.yaml'].map((file) =>
    Buffer.from(readGenerated(file).replaceAll(DOCUMENT_URL, baseUrl)),
  );
  const router = Router({ caseSensitive: true });
  router.get(`${PATH}.json`, (_request, response) => {
    response.set('Content-Type', 'application/json; charset=utf-8').send(json);
  });
  router.get(`${PATH}.yaml`, (_request, response) => {
    response.set('Content-Type', 'application/yaml; charset=utf-8').send(yaml);
  });
  router.all([`${PATH}.json`, `${PATH}.yaml`], rejectOtherThanGet);
  return router;
}

function readGenerated(file: string): string {
  return readFileSync(join(import.meta.dirname, '../../generated', file), 'utf8');
}
