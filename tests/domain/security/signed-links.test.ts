import { createHmac, hkdfSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { deriveLinkKey, signLink, verifyLink } from '../../../src/domain/security/signed-links.ts';

const ENCRYPTION_KEY = Buffer.alloc(32, 7);
const SUBJECT = { purpose: 'resolve', itemId: 'item', ownerId: 'owner' } as const;
const NOW = new Date('2026-06-15T12:00:00Z');

test('a link is its expiry and an HMAC by a key derived from the encryption key, in every process and version', () => {
  const key = Buffer.from(hkdfSync('sha256', ENCRYPTION_KEY, '', 'resolution links', 32));
  const expiry = (NOW.getTime() + 3_600_000).toString(36);
  const mac = createHmac('sha256', key).update(`resolve\nitem\nowner\n${expiry}`).digest('base64url');
  const linkKey = deriveLinkKey(ENCRYPTION_KEY);
  const link = signLink(linkKey, SUBJECT, NOW);
  expect(link).toBe(`${expiry}.${mac}`);
  expect(verifyLink(linkKey, SUBJECT, link, NOW)).toBe('valid');
  expect(verifyLink(linkKey, { ...SUBJECT, purpose: 'consent' }, link, NOW)).toBe('invalid');
  expect(verifyLink(linkKey, SUBJECT, link, new Date(NOW.getTime() + 3_600_001))).toBe('expired');
});
