/** Writes the picture of the rooms into docs/architecture.md and prints it: `make rooms`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readImports } from './imports.ts';
import { drawRooms, measureRooms } from './picture.ts';
import { ROOM_RULES } from './rules.ts';
import { replaceBlock } from './block.ts';

const root = join(import.meta.dirname, '../..');
const page = join(root, 'docs/architecture.md');

const { files, table } = await readImports(root);
const picture = drawRooms(measureRooms(files, table), ROOM_RULES);
writeFileSync(page, replaceBlock(readFileSync(page, 'utf8'), picture));
console.log(picture);
