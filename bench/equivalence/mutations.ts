// What a client may get wrong in a body: in its values, and in its bytes.
import type { Dice } from './dice.ts';

const STRANGE: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  2 ** 53,
  '',
  ' ',
  'x',
  '0',
  'null',
  'ä€😀',
  'a\u0000b',
  '\ud800',
  'e\u0301',
  '2026-02-30T00:00:00Z',
  [],
  {},
  [null],
  { a: 1 },
];

type Container = Record<string, unknown>;

/** The same value with something else at one place: without it, with another type, with more than is allowed. */
export function spoilValue(value: unknown, dice: Dice): unknown {
  const copy = structuredClone(value);
  const containers = listContainers(copy);
  if (containers.length === 0) return dice.pick(STRANGE);
  const container = dice.pick(containers);
  const names = Object.keys(container);
  const name = names.length === 0 ? 'unknown' : dice.pick(names);
  dice.weigh<() => void>([
    [3, () => void Reflect.deleteProperty(container, name)],
    [4, () => (container[name] = dice.pick(STRANGE))],
    [2, () => (container[dice.pick(['unknown', '__proto__x', 'id', 'Org_id', ''])] = dice.pick(STRANGE))],
    [1, () => (container[name] = 'long '.repeat(dice.integer(20, 600)))],
    [1, () => (container[name] = [container[name], container[name]])],
    [1, () => (container[name] = typeof container[name] === 'number' ? String(container[name]) : 7)],
  ])();
  return copy;
}

function listContainers(value: unknown): Container[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Container, ...Object.values(value).flatMap(listContainers)];
}

/** Bytes that are no JSON, or JSON of a kind that is refused before its schema is asked. */
export function spoilBytes(text: string, dice: Dice): Buffer {
  const spoilt = dice.weigh<string | Buffer>([
    [2, text.slice(0, -1)],
    [1, ''],
    [1, 'null'],
    [1, '[]'],
    [1, `${text} x`],
    [1, `\ufeff${text}`],
    [1, text.replace('{', '{"twice":1,"twice":2,')],
    [1, text.replace('{', '{"__proto__":{},')],
    [1, `${'['.repeat(70)}${']'.repeat(70)}`],
    [1, Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')])],
    [1, text.replace('{', String.raw`{"\ud800":1,`)],
    [1, `{"long":"${'x'.repeat(70_000)}"}`],
  ]);
  return Buffer.from(spoilt);
}
