import { expect, test } from 'vitest';
import { validateEndpointUrl } from '../../../src/domain/notifications/endpoint.ts';

const codes = (text: string, allowed: readonly string[] = []): string[] | string => {
  const endpoint = validateEndpointUrl(text, allowed);
  return 'url' in endpoint ? endpoint.url.href : endpoint.errors.map(({ code }) => code);
};

test.each([
  ['https://partner.example/hooks', 'https://partner.example/hooks'],
  ['https://partner.example', 'https://partner.example/'],
  ['HTTPS://Partner.Example:8443/a?b=c@d', 'https://partner.example:8443/a?b=c@d'],
  ['https://8.8.8.8/', 'https://8.8.8.8/'],
  ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
  [`https://partner.example/${'a'.repeat(2048 - 24)}`, `https://partner.example/${'a'.repeat(2048 - 24)}`],
])('%s is an endpoint', (text, href) => {
  expect(codes(text)).toBe(href);
});

test.each([
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0177.0.0.1',
  '0x7f.1',
  '127.0.0.1.',
  '１２７.0.0.1',
  '127。0。0。1',
  'localhost',
  'LOCALHOST',
  'a.localhost',
  'localhost.',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::7f00:1]',
  '169.254.169.254',
  '10.0.0.1',
  '[fe80::1]',
  '[64:ff9b::7f00:1]',
])('the literal host %s is refused in every spelling', (host) => {
  expect(codes(`https://${host}/hook`)).toEqual(['forbidden_address']);
});

test('an allowed network lets a literal address through', () => {
  expect(codes('https://127.0.0.1:8443/', ['127.0.0.0/8'])).toBe('https://127.0.0.1:8443/');
  expect(codes('https://localhost:8443/', ['127.0.0.0/8'])).toBe('https://localhost:8443/');
  expect(codes('https://localhost:8443/', ['10.0.0.0/8'])).toEqual(['forbidden_address']);
});

test.each([
  ['http://partner.example/', 'https_required'],
  ['ftp://partner.example/', 'https_required'],
  ['partner.example', 'invalid_url'],
  ['/hook', 'invalid_url'],
  ['', 'invalid_url'],
  ['https://', 'invalid_url'],
  ['https:partner.example', 'invalid_url'],
  ['https:/partner.example', 'invalid_url'],
  ['https://partner.example/#part', 'fragment_forbidden'],
  ['https://partner.example/#', 'fragment_forbidden'],
  ['https://user@partner.example/', 'credentials_forbidden'],
  ['https://:secret@partner.example/', 'credentials_forbidden'],
  ['https://@partner.example/', 'credentials_forbidden'],
  ['https:\\\\user@partner.example/', 'invalid_url'],
  ['https://partner.example\\@127.0.0.1/', 'invalid_url'],
  ['https://partner.example/a\\b', 'invalid_url'],
  ['https:///partner.example/', 'invalid_url'],
  ['https://partner.example/a b', 'invalid_url'],
  ['https://partner.example/\n', 'invalid_url'],
  [' https://partner.example/', 'invalid_url'],
  ['https://partner.example:99999/', 'invalid_url'],
  ['https://[fe80::1%25eth0]/', 'invalid_url'],
])('%j is refused: %s', (text, code) => {
  expect(codes(text)).toEqual([code]);
});

test.each([0, 22, 25, 53, 6667])('port %d belongs to another protocol', (port) => {
  expect(codes(`https://partner.example:${port}/`)).toEqual(['forbidden_port']);
});

test('every fault is reported, under the pointer', () => {
  expect(validateEndpointUrl(`http://user@10.0.0.1:22/${'a'.repeat(2000)}#part`)).toEqual({
    errors: [
      'https_required',
      'credentials_forbidden',
      'fragment_forbidden',
      'forbidden_port',
      'forbidden_address',
    ].map((code) => ({ pointer: '/url', code, detail: expect.any(String) })),
  });
});

test('of a text that is too long nothing else is looked at', () => {
  for (const long of ['http://user@10.0.0.1/' + 'a'.repeat(2048), 'https://' + '@'.repeat(1_040_000)])
    expect(codes(long)).toEqual(['max_length']);
  expect(codes(`https://a.example/${'😀'.repeat(2030)}`)).toEqual(['max_length']);
});

test.each([
  ['https://partner.example/hook?a=b', 'https://partner.example/hook?a=b'],
  ['https://Partner.example', 'https://partner.example/'],
  ['https://partner.example:443/a/./b/../c?', 'https://partner.example/a/c'],
  ['https://%70artner.example/', 'https://partner.example/'],
  ['https://134744072/', 'https://8.8.8.8/'],
  ['https://partner.example/a%20b?c=%C3%BC&d[]', 'https://partner.example/a%20b?c=%C3%BC&d%5B%5D'],
  ['https://m\u00fcnchen.example/hook', 'https://xn--mnchen-3ya.example/hook'],
  ['https://m\u00dcNCHEN.example:8443', 'https://xn--mnchen-3ya.example:8443/'],
  ['https://partner\u3002example/\ud83d\udd0c?\u00e9', 'https://partner.example/%F0%9F%94%8C?%C3%A9'],
  ['https://partner.example/{a}|b^c`"<>d', 'https://partner.example/%7Ba%7D%7Cb%5Ec%60%22%3C%3Ed'],
  ['https://partner.example/100%?%zz', 'https://partner.example/100%25?%25zz'],
  ['https://[2606:4700::1111]/a', 'https://[2606:4700::1111]/a'],
])('%s is kept as the URI %s', (text, uri) => {
  const endpoint = validateEndpointUrl(text);
  expect(endpoint).toEqual({ url: expect.any(URL), uri });
  // What is kept is called the same way, and is a URI (RFC 3986).
  expect(validateEndpointUrl(uri)).toEqual({ url: expect.any(URL), uri });
  expect(uri).toMatch(/^[a-z]+:\/\/[^/?]*(?:[A-Za-z0-9._~:/?@!$&'()*+,;=-]|%[0-9A-F]{2})*$/);
});

test('an address is measured as the URI that it is kept as', () => {
  expect(codes(`https://partner.example/${'\u00fc'.repeat(400)}`)).toEqual(['max_length']);
  expect(codes(`https://partner.example/${'\u00fc'.repeat(300)}`)).toMatch(/^https:/);
});
