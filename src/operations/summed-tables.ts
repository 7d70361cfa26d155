import { StreamedBytes } from '../contract/streamed-bytes.ts';
import { NO_SUMS, writeSums } from '../compute/summed-table.ts';
import type { SummedPart, SummedTable } from '../compute/summed-table.ts';
import { CONTENT_TYPES } from '../presenters/tables.ts';
import type { TableState } from '../presenters/tables.ts';
import type { Context } from './context.ts';
import { runHeavyJob, workInNextTurn } from './heavy-jobs.ts';

/**
 * A table of sums as an answer, written on a thread, part by part. The first one is there when this resolves: until then an error is not
 * yet one of an answer that has begun.
 * @throws Problem overloaded (503); what the parts throw.
 */
export async function toSummedTable(
  context: Context,
  table: SummedTable,
  parts: AsyncGenerator<SummedPart>,
): Promise<StreamedBytes> {
  const written = writeParts(context, table, parts);
  const first = await written.next();
  return new StreamedBytes(
    CONTENT_TYPES[table.type],
    (async function* () {
      if (first.done === true) return;
      yield first.value;
      yield* written;
    })(),
  );
}

async function* writeParts(
  context: Context,
  table: SummedTable,
  parts: AsyncGenerator<SummedPart>,
): AsyncGenerator<Uint8Array> {
  let before: TableState | undefined;
  for await (const part of parts) {
    const input = { table, part, before };
    // The sums are there, and took longer than writing them.
    const { bytes, state } = await workInNextTurn(context, true, () =>
      runHeavyJob(context, true, 'writeSums', input),
    );
    before = state;
    yield bytes;
  }
  // One without rows is no work.
  if (before === undefined) yield writeSums({ table, part: NO_SUMS, before }).bytes;
}
