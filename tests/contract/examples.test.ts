import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listMissingExamples } from '../../tools/generate/examples.ts';
import type { OpenApiDocument } from '../../tools/generate/document.ts';

const text = readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8');
const readDocument = (): any => JSON.parse(text);

test('every body of the document has an example', () => {
  expect(listMissingExamples(readDocument() as OpenApiDocument)).toEqual([]);
});

test('a body that loses its example is named', () => {
  const document = readDocument();
  const path = '/api/partners/v2.0/org/{org_id}/users';
  const operation = document.paths[path].post;
  operation.requestBody.content['application/json'] = { schema: { type: 'object' } };
  operation.responses['201'].content['application/json'] = { schema: { type: 'object' } };
  expect(listMissingExamples(document as OpenApiDocument)).toEqual([
    'createUser request application/json',
    'createUser 201 application/json',
  ]);
});
