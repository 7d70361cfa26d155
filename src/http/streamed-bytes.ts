import { setImmediate } from 'node:timers/promises';
import type { Response } from 'express';
import type { StreamedBytes } from '../contract/streamed-bytes.ts';
import { waitForDrain } from './wait-for-drain.ts';

/**
 * Writes the parts as they come, one after the other. Until the first one is there an error can still be answered as a problem.
 * @throws what the parts throw.
 */
export async function sendStreamedBytes(
  response: Response,
  status: number,
  { contentType, parts }: StreamedBytes,
): Promise<void> {
  for await (const part of parts) {
    if (isGone(response)) return;
    if (!response.headersSent) {
      response.statusCode = status;
      response.setHeader('Content-Type', contentType);
    }
    response.write(part);
    // Its head is known, and it has no more.
    if (response.req.method === 'HEAD') break;
    await setImmediate();
    if (response.writableNeedDrain) await waitForDrain(response);
    if (isGone(response)) return;
  }
  response.end();
}

const isGone = (response: Response): boolean => response.destroyed;
