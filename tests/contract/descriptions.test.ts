import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listPoorDescriptions } from '../../tools/generate/descriptions.ts';
import type { OpenApiDocument } from '../../tools/generate/document.ts';

const text = readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8');
const readDocument = (): any => JSON.parse(text);

test('every property, parameter and header is described, and numbers with their unit', () => {
  expect(listPoorDescriptions(readDocument() as OpenApiDocument)).toEqual([]);
});

test('a description that is missing, restates the name or tells no unit is named', () => {
  const document = readDocument();
  const { User, InverterState, FleetEventTrigger, FleetDefinition } = document.components.schemas;
  User.properties.email.description = ' ';
  User.properties.first_name.description = 'The first name.';
  InverterState.properties.pv_power_w.description = 'What the solar panels give.';
  InverterState.properties.grid_import_kwh.description = 'Counter of the energy taken, in kilowatts.';
  FleetEventTrigger.properties.duration_minutes.description = 'How long it lasts, at most seven days.';
  FleetDefinition.properties.pv_rating_kw_range.description = 'Draws `pv_rating_kw` for each household.';
  document.components.parameters.Page.description = 'The page.';
  delete document.components.headers.RetryAfter.description;
  const problem = document.components.responses.NotFound.content['application/problem+json'];
  problem.schema = { allOf: [{ if: { properties: { code: { type: 'string' } } } }] };
  document.paths['/oauth2/token/'].post.responses['200'].content['application/json'].schema = {
    additionalProperties: { items: { properties: { token: { type: 'string' } } } },
  };
  expect(listPoorDescriptions(document as OpenApiDocument)).toEqual(
    expect.arrayContaining([
      { place: 'User.email', fault: 'missing' },
      { place: 'User.first_name', fault: 'restates the name' },
      { place: 'InverterState.pv_power_w', fault: 'no unit' },
      { place: 'InverterState.grid_import_kwh', fault: 'no unit' },
      { place: 'FleetEventTrigger.duration_minutes', fault: 'no unit' },
      { place: 'FleetDefinition.pv_rating_kw_range', fault: 'no unit' },
      { place: 'parameter page', fault: 'restates the name' },
      { place: 'header RetryAfter', fault: 'missing' },
      { place: '/components/responses/NotFound/content/application/problem+json.code', fault: 'missing' },
      {
        place: '/paths//oauth2/token//post/responses/200/content/application/json[].token',
        fault: 'missing',
      },
    ]),
  );
});
