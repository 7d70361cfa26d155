// The page on generated clients names the generators that `make clients` tries, and what each was tried with.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GENERATORS, PACKAGES } from './generators.ts';

const root = join(PACKAGES, '../../..');
const readVersions = (folder: string): Record<string, string> => {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as { dependencies?: Record<string, string>; devDependencies?: Record<string, string> };
  return { ...devDependencies, ...dependencies };
};

test('the page names each generator, its version and the options that it was compiled without', () => {
  const versions = { ...readVersions(root), ...readVersions(PACKAGES) };
  const page = readFileSync(join(root, 'docs/reference/clients.md'), 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, name, version, options = '']) => [name, version, options.match(/(?<=`)\w+(?=`)/g) ?? []]);
  expect(rows).toEqual(
    GENERATORS.map((each) => [each.name, versions[each.package], Object.keys(each.loosened)]),
  );
});
