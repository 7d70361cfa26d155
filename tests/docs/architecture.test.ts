// docs/architecture.md shows the rooms as they are.
import { expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceBlock } from '../../tools/rooms/block.ts';
import { readImports } from '../../tools/rooms/imports.ts';
import { drawRooms, measureRooms } from '../../tools/rooms/picture.ts';
import { ROOM_RULES } from '../../tools/rooms/rules.ts';
import { root } from '../readme/document.ts';

const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
const { files, table } = await readImports(root);

test('the picture of the rooms is what make rooms writes: no circle, no arrow upward', () => {
  const picture = drawRooms(measureRooms(files, table), ROOM_RULES);
  expect(picture.split('\n').filter((line) => line.startsWith('upward: '))).toEqual([]);
  expect(picture).toContain('0 circles, 0 arrows upward');
  expect(replaceBlock(page, picture)).toBe(page);
});

test('every room and wing that exists has its sentence of rule, and no other has one', () => {
  const { rooms, wings } = measureRooms(files, table);
  expect(Object.keys(ROOM_RULES).sort()).toEqual([...rooms, ...wings].map(({ name }) => name).sort());
});

test('an import that the table does not allow is an arrow upward', () => {
  const planted = { path: 'src/domain/api/planted.ts', imports: ['src/http/app.ts'], isCircular: false };
  const picture = drawRooms(measureRooms([...files, planted], table), ROOM_RULES);
  expect(picture).toContain('upward: domain -> http');
});

test('a room without a sentence is refused', () => {
  const planted = { path: 'src/attic/planted.ts', imports: [], isCircular: false };
  const measured = measureRooms([planted], { rooms: { attic: [] }, wings: {} });
  expect(() => drawRooms(measured, ROOM_RULES)).toThrow('attic has no sentence');
});
