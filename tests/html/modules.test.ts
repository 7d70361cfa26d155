// Scripts that import each other, joined into one.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { joinModules } from '../../src/html/modules.ts';

const folder = mkdtempSync(join(tmpdir(), 'modules-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('what is imported stands before it, each script once, without imports and exports', () => {
  writeFileSync(join(folder, 'a.js'), 'export const a = 1;\n');
  writeFileSync(
    join(folder, 'b.js'),
    "import { a } from './a.js';\n\nexport async function b() {\n  return a;\n}\n",
  );
  writeFileSync(
    join(folder, 'main.js'),
    "import { a } from './a.js';\nimport {\n  b,\n} from './b.js';\n\nb(a);\n",
  );
  expect(joinModules(join(folder, 'main.js')).toString()).toBe(
    'const a = 1;\n\n\nasync function b() {\n  return a;\n}\n\n\nb(a);\n',
  );
});
