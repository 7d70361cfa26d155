// A thread that measures one part of the validation and draws its pictures.
import { parentPort, workerData } from 'node:worker_threads';
import { PARTS } from './parts.ts';
import type { PartName } from './parts.ts';
import type { ColumnComparison } from './people-homes.ts';
import { drawPicture } from './picture.ts';
import type { DrawnPicture } from './picture.ts';
import type { Row } from './row.ts';

/** What a part was found to be. */
export interface PartResult {
  readonly rows: readonly Row[];
  readonly pictures: readonly { readonly shown: DrawnPicture; readonly svg: string }[];
  readonly columns: readonly ColumnComparison[];
}

const part = await PARTS[workerData as PartName].load();
const result: PartResult = {
  rows: await part.measure(),
  pictures: part.draw().map(drawPicture),
  columns: part.compareColumns?.() ?? [],
};
parentPort?.postMessage(result);
