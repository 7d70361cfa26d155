// Which operations answer lists of what is stored: their pages are made in turns.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { OperationId } from '../../generated/routes.ts';
import { isListOperation } from '../../src/contract/handlers.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly operationId: OperationId;
  readonly responses: Readonly<Record<string, { readonly content?: Record<string, { schema: Schema }> }>>;
}

const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8'),
) as {
  readonly paths: Readonly<Record<string, { readonly get?: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** Why an answer with a list of objects is none of what is stored, or has an end of its own. */
const NO_LISTS: Readonly<Partial<Record<OperationId, string>>> = {
  getDelivery: 'the attempts of one delivery',
  getFleetConfig: 'what the simulator knows, from memory',
  getHeatPumpData: 'computed, in turns of their own',
  getInverterData: 'computed, in turns of their own',
  getElectricVehicleData: 'computed, in turns of their own',
  getWallboxData: 'computed, in turns of their own',
  getHouseholdData: 'computed, in turns of their own',
  getFleetData: 'computed, in turns of their own',
  getHeatPumpSchedules: 'computed, in turns of their own',
};

function resolve(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : resolve(document.components.schemas[name] ?? {});
}

function isListOfObjects(schema: Schema): boolean {
  const { items } = resolve(schema);
  if (items === undefined) return false;
  const { properties, oneOf = [] } = resolve(items);
  return [{ properties }, ...oneOf.map(resolve)].some((each) => each.properties !== undefined);
}

function answersList({ responses }: Operation): boolean {
  const schema = resolve(responses['200']?.content?.['application/json']?.schema ?? {});
  return [schema, ...Object.values(schema.properties ?? {})].some(isListOfObjects);
}

test('each operation that answers a list is named so, or has no list of what is stored', () => {
  const operations = Object.values(document.paths).flatMap(({ get }) => (get === undefined ? [] : [get]));
  const lists = operations.filter(answersList).map(({ operationId }) => operationId);
  expect(lists.filter((id) => !isListOperation(id)).toSorted()).toEqual(Object.keys(NO_LISTS).toSorted());
  expect(
    operations
      .map(({ operationId }) => operationId)
      .filter(isListOperation)
      .toSorted(),
  ).toEqual(lists.filter(isListOperation).toSorted());
});
