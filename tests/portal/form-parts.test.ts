// How a long form is read: part by part, with turns of the event loop between.
import { Readable } from 'node:stream';
import type { Request } from 'express';
import { expect, test } from 'vitest';
import { readFormParts } from '../../src/portal/form-parts.ts';

const PARTS = 16;

/** A request whose body is there from the beginning, in so many parts. */
function requestOf(type: string, body: string): Request {
  const size = Math.ceil(body.length / PARTS);
  const parts = Array.from({ length: PARTS }, (_, n) => Buffer.from(body.slice(n * size, (n + 1) * size)));
  return Object.assign(Readable.from(parts), { get: () => type }) as unknown as Request;
}

const text = '2031-01-01 00:00;84,12 %+&=\n'.repeat(1_000);
const plain = new URLSearchParams({ csrf_token: 'ä', text }).toString();
const BOUNDARY = 'boundary';
const field = (name: string, value: string): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const several = `${field('csrf_token', 'ä')}${field('text', text)}--${BOUNDARY}--\r\n`;

test.each([
  ['application/x-www-form-urlencoded', plain],
  [`multipart/form-data; boundary=${BOUNDARY}`, several],
])('%s: others have their turn behind each part, and what is read is what was sent', async (type, body) => {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const fields = await readFormParts(requestOf(type, body), 1_000_000);
  clearImmediate(counting);
  expect(turns).toBeGreaterThanOrEqual(PARTS);
  expect(fields).toEqual({ csrf_token: 'ä', text });
});

test('a part without a name is passed by, also where it comes in one piece of more than 64 KiB', async () => {
  const body = `--${BOUNDARY}\r\n\r\n${'y'.repeat(100_000)}\r\n${field('a', 'b')}--${BOUNDARY}--\r\n`;
  const whole = Readable.from([Buffer.from(body)]);
  const type = `multipart/form-data; boundary=${BOUNDARY}`;
  const request = Object.assign(whole, { get: () => type }) as unknown as Request;
  expect(await readFormParts(request, 1_000_000)).toEqual({ a: 'b' });
});

test('a form that does not end in its time is damaged', async () => {
  const endless = new Readable({ read: () => undefined });
  const request = Object.assign(endless, { get: () => 'application/x-www-form-urlencoded' });
  const reading = readFormParts(request as unknown as Request, 1_000_000, 20);
  await expect(reading).rejects.toMatchObject({ status: 400 });
});

test('a form of more than twenty fields is damaged', async () => {
  const body = Array.from({ length: 21 }, (_, n) => `f${n}=1`).join('&');
  const reading = readFormParts(requestOf('application/x-www-form-urlencoded', body), 1_000_000);
  await expect(reading).rejects.toMatchObject({ status: 400 });
});
