import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from 'express';
import { FILE_METHODS } from './cross-origin.ts';
import type { CrossOrigin } from './cross-origin.ts';
import { rejectOtherThan } from './methods.ts';
import { sendTaggedBytes, toTaggedBytes } from './tagged-answer.ts';

const DOCUMENT_URL = 'http://localhost:8080';
const PATH = '/api/partners/v2.0';
const ROOT = join(import.meta.dirname, '../..');
const JSON_TYPE = 'application/json; charset=utf-8';
const YAML_TYPE = 'application/yaml; charset=utf-8';

interface PublishedFile {
  readonly path: string;
  readonly file: string;
  readonly type: string;
}

/** The published document and the workflows that refer to it, with this server's own address in them. */
export function createDocumentRoutes(baseUrl: string, crossOrigin: CrossOrigin): Router {
  const router = Router({ caseSensitive: true });
  for (const { path, file, type } of listPublishedFiles()) {
    // Bytes, which all answers share: a text would be copied for each client, however slowly it reads.
    const text = readFileSync(join(ROOT, file), 'utf8').replaceAll(DOCUMENT_URL, baseUrl);
    const body = toTaggedBytes(type, Buffer.from(text));
    router.all(path, crossOrigin.forFiles);
    router.get(path, (_request, response) => sendTaggedBytes(response, body));
    router.all(path, rejectOtherThan(...FILE_METHODS));
  }
  return router;
}

function listPublishedFiles(): PublishedFile[] {
  const workflows = readdirSync(join(ROOT, 'openapi/workflows'));
  return [
    { path: `${PATH}/openapi.json`, file: 'generated/openapi.json', type: JSON_TYPE },
    { path: `${PATH}/openapi.yaml`, file: 'generated/openapi.yaml', type: YAML_TYPE },
    ...workflows.map((name) => ({
      path: `${PATH}/workflows/${name}`,
      file: `openapi/workflows/${name}`,
      type: YAML_TYPE,
    })),
  ];
}
