import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from 'express';
import type { CrossOrigin } from './cross-origin.ts';
import { rejectOtherThanGet } from './methods.ts';
import { sendTaggedBytes, toTaggedBytes } from './tagged-answer.ts';

const DOCUMENT_URL = 'http://localhost:8080';
const PATH = '/api/partners/v2.0/openapi';

const FILES = [
  ['json', 'application/json; charset=utf-8'],
  ['yaml', 'application/yaml; charset=utf-8'],
] as const;

/** The published document, with this server's own address in it. */
export function createDocumentRoutes(baseUrl: string, crossOrigin: CrossOrigin): Router {
  const router = Router({ caseSensitive: true });
  for (const [extension, type] of FILES) {
    // Bytes, which all answers share: a text would be copied for each client, however slowly it reads.
    const text = readGenerated(`openapi.${extension}`).replaceAll(DOCUMENT_URL, baseUrl);
    const body = toTaggedBytes(type, Buffer.from(text));
    router.all(`${PATH}.${extension}`, crossOrigin.forFiles);
    router.get(`${PATH}.${extension}`, (_request, response) => sendTaggedBytes(response, body));
    router.all(`${PATH}.${extension}`, rejectOtherThanGet);
  }
  return router;
}

function readGenerated(file: string): string {
  return readFileSync(join(import.meta.dirname, '../../generated', file), 'utf8');
}
