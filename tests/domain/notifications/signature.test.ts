import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { Secret } from '../../../src/domain/security/secret.ts';
import {
  isServiceSignatureValid,
  generateSigningSecret,
  serviceSignatureHeader,
  standardWebhooksHeaders,
} from '../../../src/domain/notifications/signature.ts';

const secret = generateSigningSecret(() => Buffer.alloc(32, 7));
const body = Buffer.from('{"message_id":"ü"}');
const at = new Date('2026-11-21T12:00:00.900Z');
const later = (seconds: number): Date => new Date(at.getTime() - 900 + seconds * 1000);

test('a secret is whsec_ and 32 bytes in base64, a new one each time', () => {
  expect(secret.reveal()).toBe(`whsec_${Buffer.alloc(32, 7).toString('base64')}`);
  expect(generateSigningSecret().reveal()).not.toBe(generateSigningSecret().reveal());
});

test('a secret does not show itself', () => {
  const shown = [String(secret), JSON.stringify({ secret }), inspect({ secret }), inspect(new Secret('abc'))];
  expect(shown).toEqual(['[secret]', '{"secret":"[secret]"}', '{ secret: [secret] }', '[secret]']);
});

test('Service-Signature covers timestamp and body, keyed with the literal secret', () => {
  const t = 1795262400;
  const digest = createHmac('sha256', secret.reveal()).update(`${t}.{"message_id":"ü"}`).digest('hex');
  expect(serviceSignatureHeader(secret, body, at)).toBe(`t=${t},v1=${digest}`);
});

test('the Standard Webhooks headers cover id, timestamp and body, keyed with the decoded secret', () => {
  const digest = createHmac('sha256', Buffer.alloc(32, 7))
    .update('id.1795262400.')
    .update(body)
    .digest('base64');
  expect(standardWebhooksHeaders(secret, 'id', body, at)).toEqual({
    'webhook-id': 'id',
    'webhook-timestamp': '1795262400',
    'webhook-signature': `v1,${digest}`,
  });
});

test('a receiver accepts the signature within 300 seconds either way', () => {
  const header = serviceSignatureHeader(secret, body, at);
  const valid = [-301, -300, 0, 300, 301].map((seconds) =>
    isServiceSignatureValid(secret, header, body, later(seconds)),
  );
  expect(valid).toEqual([false, true, true, true, false]);
});

test('a receiver passes over schemes that it does not know', () => {
  const header = serviceSignatureHeader(secret, body, at);
  expect(isServiceSignatureValid(secret, `${header},v2=abc`, body, at)).toBe(true);
  expect(isServiceSignatureValid(secret, header.replace(',v1=', ',v0='), body, at)).toBe(false);
});

test.each([
  ['another body', (header: string) => header, Buffer.from('{}')],
  ['another time', (header: string) => header.replace('t=1795262400', 't=1795262401'), body],
  ['another digest', (header: string) => header.replace(/.$/, (last) => (last === '0' ? '1' : '0')), body],
  ['a short digest', (header: string) => header.slice(0, -2), body],
  ['upper case', (header: string) => header.toUpperCase(), body],
  ['no time', (header: string) => header.replace(/^t=\d+,/, ''), body],
  ['no number', (header: string) => header.replace(/t=\d+/, 't=now'), body],
  ['nothing', () => '', body],
])('a receiver refuses %s', (_name, tamper, received) => {
  expect(
    isServiceSignatureValid(secret, tamper(serviceSignatureHeader(secret, body, at)), received, at),
  ).toBe(false);
});

test('a receiver takes only whole seconds in digits for a timestamp, even when they are signed', () => {
  for (const t of ['1795262400.5', '0x6b01e8c0', '1.7952624e9', '']) {
    const digest = createHmac('sha256', secret.reveal()).update(`${t}.`).update(body).digest('hex');
    expect(isServiceSignatureValid(secret, `t=${t},v1=${digest}`, body, at)).toBe(false);
  }
});
