// What generators make of the document for clients in TypeScript.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import type { components } from '../../generated/openapi.ts';
import { fleetApi } from '../fleets/fleet-api.ts';

const file = join(import.meta.dirname, '../../generated/openapi.ts');

interface LooseType {
  /** The names of what it stands in: `components.schemas.EmptyBody`. */
  readonly place: string;
  readonly type: string;
}

/** Types that say nothing of a value, or say that an object has no properties. */
function listLooseTypes(text: string): LooseType[] {
  const source = ts.createSourceFile('openapi.ts', text, ts.ScriptTarget.Latest);
  const found: LooseType[] = [];
  const visit = (node: ts.Node, names: readonly string[]): void => {
    const type = node.getText(source);
    const isLoose =
      node.kind === ts.SyntaxKind.UnknownKeyword ||
      node.kind === ts.SyntaxKind.AnyKeyword ||
      /^Record<string, (?:never|unknown|any)>$/.test(type);
    if (isLoose) found.push({ place: names.join('.'), type });
    if (isLoose) return;
    const name = nameOf(node, source);
    ts.forEachChild(node, (child) => visit(child, name === undefined ? names : [...names, name]));
  };
  visit(source, []);
  return found;
}

function nameOf(node: ts.Node, source: ts.SourceFile): string | undefined {
  if (ts.isPropertySignature(node) || ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node))
    return node.name.getText(source);
  return ts.isIndexSignatureDeclaration(node) ? '*' : undefined;
}

/** The types that are loose, and why. */
const EXPLAINED: Readonly<Record<string, string>> = {
  '$defs Record<string, never>': 'the generator writes it whatever the document holds',
};

test('no type of the schemas is unknown or any', () => {
  const loose = listLooseTypes(readFileSync(file, 'utf8'))
    // That an answer may have other headers.
    .filter(({ place }) => !/\.headers\.\*$/.test(place));
  expect(loose.map(({ place, type }) => `${place} ${type}`).toSorted()).toEqual(
    Object.keys(EXPLAINED).toSorted(),
  );
});

test('a type that is unknown is found', () => {
  const text = 'export interface components { schemas: { A: { b?: unknown; c: readonly any[] } } }';
  expect(listLooseTypes(text)).toEqual([
    { place: 'components.schemas.A.b', type: 'unknown' },
    { place: 'components.schemas.A.c', type: 'any' },
  ]);
});

type Device = components['schemas']['Device'];

/** As a client writes it: it compiles because the type of a device tells what its state holds. */
function counterOf(device: Device): number {
  switch (device.device_type) {
    case 'electric_vehicle':
      return device.state.energy_charged_kwh;
    case 'heat_pump':
      return device.state.energy_kwh;
    case 'inverter':
      return device.state.pv_energy_kwh;
    case 'wallbox':
      return device.state.energy_kwh;
  }
}

/** Of an operation for one type nothing has to be told apart. */
const heatOf = ({ state }: components['schemas']['HeatPump']): number => state.heat_w;
const typeOf = ({ metadata }: components['schemas']['HeatPumpData']): 'heat_pump' => metadata.device_type;

const fleets = fleetApi();

test('a device is told apart by its type', async () => {
  const { job_id: id } = await fleets.running({ count: 12, ev_ownership_fraction: 1, seed: 7 });
  const devices = (await fleets.devices(id as string)) as Device[];
  expect(new Set(devices.map(({ device_type }) => device_type)).size).toBe(4);
  for (const device of devices) expect(counterOf(device)).toBeGreaterThanOrEqual(0);
  const pump = devices.find((device) => device.device_type === 'heat_pump');
  expect(pump && heatOf(pump)).toBeGreaterThanOrEqual(0);
  const period = { from: '2026-06-15T10:00:00Z', to: '2026-06-15T11:00:00Z' };
  const path = {
    org_id: pump?.org_id ?? '',
    user_id: pump?.user_id ?? '',
    heat_pump_id: pump?.device_id ?? '',
  };
  const { body } = await fleets.api.call('getHeatPumpData', { path, query: period });
  expect(typeOf(body as components['schemas']['HeatPumpData'])).toBe('heat_pump');
});

test('what an answer always has, is never optional because it has a default', () => {
  const document = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8'),
  ) as Readonly<Record<string, unknown>>;
  expect(listOptionalDefaults(document)).toEqual([]);
  const { schemas } = document['components'] as { schemas: Record<string, Record<string, unknown>> };
  (schemas['Fleet']?.['properties'] as Record<string, object>)['seed'] = { type: 'integer', default: 42 };
  (schemas['Fleet'] ?? {})['required'] = [];
  expect(listOptionalDefaults(document)).toEqual(['#/components/schemas/Fleet.seed']);
});

type Node = Readonly<Record<string, unknown>>;

/** Properties of answers that have a default and may be missing: generated types take them as optional. */
function listOptionalDefaults(document: Node): string[] {
  const found = new Set<string>();
  const seen = new Set<unknown>();
  const visit = (node: unknown, place: string): void => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return;
    seen.add(node);
    const { $ref: reference, properties = {}, required = [] } = node as Node;
    if (typeof reference === 'string')
      visit(
        reference
          .slice(2)
          .split('/')
          .reduce<unknown>((at, key) => (at as Node)[key], document),
        reference,
      );
    for (const [name, property] of Object.entries(properties as Record<string, Node>))
      if ('default' in property && !(required as readonly string[]).includes(name))
        found.add(`${place}.${name}`);
    for (const [key, value] of Object.entries(node)) if (key !== 'examples') visit(value, place);
  };
  const items = [...Object.values(document['paths'] as Record<string, Node>)];
  for (const item of items)
    for (const operation of Object.values(item)) visit((operation as Node)['responses'], '');
  return [...found];
}
