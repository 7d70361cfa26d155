import { setImmediate } from 'node:timers/promises';
import type { Response } from 'express';
import type { StreamedBytes } from '../contract/streamed-bytes.ts';
import { mayGoOn } from './caller-rules.ts';
import type { CallerRules } from './caller-rules.ts';
import { AnswerCoder } from './coded-answer.ts';
import type { AnswerCoding } from './coded-answer.ts';
import { isUnwanted } from './given-up.ts';
import { waitForDrain } from './wait-for-drain.ts';

interface SendingRules {
  /** How the client wants text to be coded. */
  readonly coding?: AnswerCoding | undefined;
  /** Until when whoever called may have it; without them, to the end. */
  readonly caller?: Pick<CallerRules, 'isStillAllowed'> | undefined;
}

/**
 * Writes the parts as they come, one after the other, text in the coding that the client wants. Until the first one is there an error can still be answered as a problem.
 * @throws what the parts throw.
 */
export async function sendStreamedBytes(
  response: Response,
  status: number,
  { contentType, parts }: StreamedBytes,
  { coding, caller }: SendingRules = {},
): Promise<void> {
  const isText = contentType.startsWith('text/');
  const coder = new AnswerCoder(response, isText ? coding : undefined);
  try {
    for await (const part of parts) {
      if (isUnwanted(response)) return;
      if (!response.headersSent) {
        response.statusCode = status;
        response.setHeader('Content-Type', contentType);
      }
      const bytes = await coder.encode(part);
      if (isUnwanted(response)) return;
      response.write(bytes);
      // Its head is known, and it has no more.
      if (response.req.method === 'HEAD') break;
      await setImmediate();
      if (response.writableNeedDrain) await waitForDrain(response);
      if (!(await mayGoOn(response, caller))) return;
    }
    const last = await coder.end('');
    if (!isUnwanted(response)) response.end(last);
  } finally {
    coder.close();
  }
}
