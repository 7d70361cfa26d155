import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './client.ts';
import type { ReceivedMessage } from './receiver.ts';

/** How long a step waits for a message, or for an answer to change. */
export const TIMEOUT_MS = 15_000;

/**
 * What every receiver does: recomputes the digest over `<t>.<raw body>` and compares the time with its clock. Returns the
 * message.
 */
export function checkSignature({ headers, body }: ReceivedMessage, secret: string): Record<string, any> {
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['service-signature'])) ?? [];
  const expected = createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex');
  assert.equal(v1, expected, 'the signature fits the raw body');
  assert.ok(Math.abs(Date.now() / 1000 - Number(t)) < 300, 'the timestamp is fresh');
  assert.equal(headers['user-agent'], 'Service-Notifications/1.0');
  return JSON.parse(body.toString('utf8')) as Record<string, any>;
}

/** What the user does in a browser: opens the consent page and presses Approve. */
export async function approveConsent(url: string): Promise<void> {
  const page = await (await fetch(url)).text();
  const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? url;
  const fields = new URLSearchParams({ decision: 'approve' });
  for (const [, name, value] of page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)) {
    fields.set(String(name), String(value).replaceAll('&amp;', '&'));
  }
  const answer = await fetch(new URL(action, url), { method: 'POST', body: fields, redirect: 'manual' });
  console.log(`   the user approves: ${answer.status} to ${answer.headers.get('location')}`);
  assert.equal(answer.headers.get('location'), 'https://partner.example.com/done');
}

/** Asks every 200 ms until the answer is as expected; fails after 15 s. */
export async function waitUntil(
  ask: () => Promise<Answer>,
  isDone: (answer: Answer) => boolean,
): Promise<Answer> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const answer = await ask();
    if (isDone(answer)) return answer;
    assert.ok(Date.now() < deadline, 'it happened in time');
    await sleep(200);
  }
}
