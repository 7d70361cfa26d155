import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { KNOWN_MISSES } from '../../../tools/validate/known-misses.ts';
import { PARTS, BY_DURATION } from '../../../tools/validate/parts.ts';
import type { Report } from '../../../tools/validate/report.ts';

const root = join(import.meta.dirname, '../../..');
const program = join(root, 'tools/validate/main.ts');
const folder = join(root, 'generated/validation');
const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report;
const rows = report.sections.flatMap((section) => section.rows);
const run = (...args: string[]) => promisify(execFile)(process.execPath, [program, ...args], { cwd: root });

describe('the committed report', () => {
  test('has a row for each of the 22 targets, no id twice', () => {
    const numbers = new Set(rows.map(({ id }) => Number.parseInt(id, 10)).filter((id) => !Number.isNaN(id)));
    expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 22 }, (_, i) => i + 1));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  });

  test('gives the known reason for each row that misses, and for no other', () => {
    const missed = rows.filter(({ verdict }) => verdict === 'missed');
    expect(Object.fromEntries(missed.map(({ id, reason }) => [id, reason]))).toStrictEqual(KNOWN_MISSES);
  });

  test('names the pictures that lie beside it, with words for each', () => {
    const pictures = report.sections.flatMap((section) => section.pictures);
    const files = globSync('*.svg', { cwd: folder });
    expect(pictures.map(({ name }) => `${name}.svg`).toSorted()).toEqual(files.toSorted());
    for (const { words } of pictures) expect(words).toMatch(/^(Lines|Bars): .{40,}\.$/);
  });

  test('tells what a pictured household is and has, and shows its tank', () => {
    const pictures = report.sections.flatMap((section) => section.pictures);
    const homes = pictures.filter(({ name }) => name.startsWith('household-'));
    expect(homes).toHaveLength(10);
    for (const { name, words } of homes) {
      expect(words).toMatch(/\d persons?, [\d,]+ kWh a year; [\d.]+ kWp, [\d.]+ kWh/);
      const svg = readFileSync(join(folder, `${name}.svg`), 'utf8');
      expect(svg.includes('Hot-water tank of')).toBe(words.includes('hot-water tank'));
      expect(words.includes('hot-water tank')).toBe(words.includes('heat pump'));
      expect(svg.includes('>Car: ')).toBe(words.includes('; car '));
    }
  });

  test('says of each picture with hours or days whose they are', () => {
    const timed = globSync('*.svg', { cwd: folder }).filter((file) => !/yield|cop/.test(file));
    expect(timed.length).toBeGreaterThan(14);
    const untold = timed.filter(
      (file) => !/UTC|local time|by the sun/.test(readFileSync(join(folder, file), 'utf8')),
    );
    expect(untold).toEqual([]);
  });

  test('compares all columns of the measured homes, the farthest first', () => {
    const distances = report.sections.flatMap(({ columns }) => columns.map(({ distance }) => distance));
    expect(distances).toHaveLength(20);
    expect(distances).toEqual(distances.toSorted((a, b) => b - a));
  });
});

test('every part is run, and one alone on request', async () => {
  expect(BY_DURATION.toSorted()).toEqual(Object.keys(PARTS).toSorted());
  const { stdout } = await run('neighbours');
  expect(stdout).toMatch(/^Id .*\n-.*\n22a .*\n22b .*\n22c .*\n\n3 of 3 met\.\n$/);
});

test('an unknown part is refused with a list of those that there are', async () => {
  await expect(run('nobody')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('parts: households, weather') as string,
  });
});
