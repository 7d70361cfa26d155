import type { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { Busboy } from '@fastify/busboy';
import type { Request } from 'express';

/** Fields, and files among them, of one form. */
const MOST_PARTS = 20;
/** Busboy never ends where a part that has no name comes in one piece of 64 KiB or more. */
const PIECE_BYTES = 16_384;
/** How long a form may take, whatever holds it up: as long as its request may take to arrive. */
const FORM_MS = 30_000;

/**
 * Reads the fields of a request of the type `multipart/form-data` or `application/x-www-form-urlencoded` while it arrives, files as their
 * text; one that is sent twice is a list. The length of the whole was looked at before. Throws an error with the status 400 for what is
 * no such form.
 */
export async function readFormParts(
  request: Request,
  mostBytes: number,
  withinMs = FORM_MS,
): Promise<Readonly<Record<string, unknown>>> {
  const values = new Map<string, string[]>();
  const add = (name: string, value: string): void =>
    void values.set(name, [...(values.get(name) ?? []), value]);
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error('The form takes too long.')), withinMs);
      const reader = new Busboy({
        headers: { 'content-type': request.get('content-type') ?? '' },
        limits: { parts: MOST_PARTS, fields: MOST_PARTS, fieldSize: mostBytes, fileSize: mostBytes },
      });
      reader.on('field', add);
      reader.on('file', (name, file) => {
        const chunks: Buffer[] = [];
        file.on('data', (chunk: Buffer) => chunks.push(chunk));
        file.on('end', () => add(name, Buffer.concat(chunks).toString()));
        // Without a listener the error of a file that breaks off would end the process.
        file.on('error', reject);
      });
      for (const limit of ['partsLimit', 'fieldsLimit'])
        reader.on(limit, () => reject(new Error('The form has too many parts.')));
      reader.on('finish', resolve);
      reader.on('error', reject);
      writeInTurns(request, reader).catch(reject);
    });
  } catch (cause) {
    throw Object.assign(new Error('The form is damaged.', { cause }), { status: 400 });
  } finally {
    clearTimeout(timer);
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]));
}

/** Others have their turn behind each part that arrives: 64 kB take a millisecond or two, and what has come would be read at once. */
async function writeInTurns(request: Request, reader: Writable): Promise<void> {
  for await (const part of request as AsyncIterable<Buffer>) {
    for (let at = 0; at < part.length; at += PIECE_BYTES) reader.write(part.subarray(at, at + PIECE_BYTES));
    await setImmediate();
  }
  reader.end();
}
