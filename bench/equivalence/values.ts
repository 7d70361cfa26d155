// Values that a schema of the document allows.
import type { Dice } from './dice.ts';
import { resolve } from './document.ts';
import type { Schema } from './document.ts';

/** Households that a body may ask for: what is compared is the answer, not the work. */
const MAX_COUNT = 20;
const MAX_ENTRIES = 3;
const DAY_MS = 86_400_000;
const LETTERS = Array.from('abcdefgh XYZ09-_äß€');

/** A value that the schema allows, as far as that can be told without understanding its patterns. */
export function drawValue(node: unknown, dice: Dice, nowMs: number, name = ''): unknown {
  const schema: Schema = resolve(node);
  const { const: fixed, enum: choices } = schema as { readonly const?: unknown; readonly enum?: unknown[] };
  if (fixed !== undefined) return fixed;
  if (choices !== undefined) return dice.pick(choices);
  const alternatives = (schema['oneOf'] ?? schema['anyOf']) as readonly unknown[] | undefined;
  if (alternatives !== undefined) return drawValue(dice.pick(alternatives), dice, nowMs, name);
  const all = schema['allOf'] as readonly unknown[] | undefined;
  if (all !== undefined)
    return Object.assign({}, ...all.map((part) => drawValue(part, dice, nowMs, name))) as unknown;
  const type = dice.pick([(schema['type'] ?? 'object') as string | readonly string[]].flat());
  switch (type) {
    case 'null':
      return null;
    case 'boolean':
      return dice.chance(0.5);
    case 'integer':
    case 'number':
      return drawNumber(schema, type, dice, name);
    case 'string':
      return drawText(schema, dice, nowMs);
    case 'array':
      return Array.from({ length: dice.integer(Number(schema['minItems'] ?? 0), MAX_ENTRIES) }, () =>
        drawValue(schema['items'], dice, nowMs, name),
      );
    default:
      return drawObject(schema, dice, nowMs);
  }
}

function drawNumber(schema: Schema, type: string, dice: Dice, name: string): number {
  const least = Number(schema['minimum'] ?? schema['exclusiveMinimum'] ?? -100);
  const most = /count|rows|cols/.test(name) ? MAX_COUNT : Number(schema['maximum'] ?? least + 1_000);
  if (type === 'integer') return dice.integer(least, Math.max(least, most));
  return Number((least + dice.fraction() * (most - least)).toFixed(dice.integer(0, 4)));
}

function drawText(schema: Schema, dice: Dice, nowMs: number): string {
  switch (schema['format']) {
    case 'uuid':
      return dice.uuid();
    case 'email':
      return `${dice.hex(8)}@example.com`;
    case 'uri':
      return `https://partner.example.com/${dice.hex(6)}`;
    case 'date-time':
    case 'instant':
      return drawInstant(dice, nowMs);
    default:
  }
  const { example } = schema;
  if (typeof example === 'string') return example;
  if (schema['pattern'] !== undefined && schema['format'] !== 'path-segment') return 'AT';
  const most = Math.min(Number(schema['maxLength'] ?? 40), 40);
  const least = Number(schema['minLength'] ?? 0);
  return Array.from({ length: dice.integer(least, Math.max(least, most)) }, () => dice.pick(LETTERS)).join(
    '',
  );
}

/** An instant within three days, mostly on a quarter hour, in one of the forms that the document knows. */
export function drawInstant(dice: Dice, nowMs: number): string {
  const near = nowMs + dice.integer(-3 * DAY_MS, 3 * DAY_MS);
  const at = dice.chance(0.7) ? near - (near % 900_000) : near;
  const text = new Date(at).toISOString();
  return dice.weigh([
    [4, text],
    [2, text.replace(/\.\d+Z/, 'Z')],
    [2, text.replace(/\.\d+Z/, '')],
    [1, text.replace(/\.\d+Z/, '+02:00')],
    [1, text.slice(0, 10)],
  ]);
}

function drawObject(schema: Schema, dice: Dice, nowMs: number): Readonly<Record<string, unknown>> {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, unknown>>;
  const required = (schema['required'] ?? []) as readonly string[];
  const share = dice.pick([0.1, 0.5, 0.9]);
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name) || dice.chance(share))
      .map(([name, property]) => [name, drawValue(property, dice, nowMs, name)]),
  );
}
