import type { Request } from 'express';
import { expect, test } from 'vitest';
import type { Context } from '../../src/operations/context.ts';
import { toReply } from '../../src/operations/stored-answers.ts';
import type { PortalContext } from '../../src/portal/context.ts';
import { runOnce } from '../../src/portal/form-keys.ts';

test('a form whose transaction was undone and repeated behind its twin is a repeat', async () => {
  let runs = 0;
  const answerOnce: PortalContext['answerOnce'] = async (context, _request, run) => {
    // The first try is undone, and the second one finds the answer of the twin.
    await run(context);
    return toReply({ reply: { status: 201, body: { id: 'of the twin' } } }, true);
  };
  const request = { body: { idempotency_key: 'key' } } as unknown as Request;
  const asked = { operation: 'createWebhook', path: {}, body: {} } as const;
  const done = await runOnce({ answerOnce } as PortalContext, request, {} as Context, asked, () => {
    runs += 1;
    return Promise.resolve({ status: 201, body: { id: 'undone' } });
  });
  expect([done, runs]).toEqual([{ body: { id: 'of the twin' }, isRepeat: true }, 1]);
});
