// Do five verifiers that others wrote agree with our signatures, whatever the payload?
import { beforeAll, describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { buildDeliveryHeaders } from '../../src/domain/notifications/delivery-headers.ts';
import type { Secret } from '../../src/domain/security/secret.ts';
import {
  isServiceSignatureValid,
  generateSigningSecret,
  serviceSignatureHeader,
} from '../../src/domain/notifications/signature.ts';
import { mux, standardWebhooks, stripe, svix, tern } from './libraries.ts';

const KIB = 1024;
const count = 1_000;

interface Signed {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: Secret;
}

/** Rejects or throws when the message is not what was signed. */
type Verify = (message: Signed) => unknown;

const loaders: Readonly<Record<string, () => Promise<Verify>>> = {
  stripe: async () => {
    const { webhooks } = await stripe();
    return ({ body, headers, secret }) =>
      webhooks.constructEvent(body, headers['Service-Signature'] ?? '', secret.reveal());
  },
  '@mux/mux-node': async () => {
    const { webhooks } = await mux();
    return ({ body, headers, secret }) =>
      webhooks.verifySignature(
        body.toString('utf8'),
        { 'mux-signature': headers['Service-Signature'] ?? '' },
        secret.reveal(),
      );
  },
  '@hookflo/tern': async () => {
    const { WebhookVerificationService: service } = await tern();
    const signatureConfig = {
      algorithm: 'hmac-sha256',
      headerName: 'service-signature',
      headerFormat: 'comma-separated',
      payloadFormat: 'timestamped',
    };
    return async ({ body, headers, secret }) => {
      const request = new Request('https://localhost/', {
        method: 'POST',
        headers: { ...headers },
        body: new Uint8Array(body),
      });
      const config = { platform: 'custom', secret: secret.reveal(), toleranceInSeconds: 300 } as const;
      const { isValid, error } = await service.verify(request, { ...config, signatureConfig });
      if (!isValid) throw new Error(error);
    };
  },
  standardwebhooks: async () => {
    const { Webhook } = await standardWebhooks();
    return ({ body, headers, secret }) => new Webhook(secret.reveal()).verify(body, headers);
  },
  svix: async () => {
    const { Webhook } = await svix();
    return ({ body, headers, secret }) => new Webhook(secret.reveal()).verify(body, headers);
  },
};

/** Any Unicode in keys and values, nothing at all, and bodies of up to 64 KiB. */
function payloads(): Buffer[] {
  const text = fc.string({ unit: 'binary', maxLength: 40 });
  const value = fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 });
  const random = fc.sample(fc.dictionary(text, value, { minKeys: 1, maxKeys: 8 }), {
    numRuns: count - 30,
    seed: 20_261_121,
  });
  const long = fc.sample(fc.string({ unit: 'binary', minLength: 200, maxLength: 16_000 }), {
    numRuns: 28,
    seed: 7,
  });
  const exact = { text: 'ß'.repeat(32 * KIB - 6) };
  const values = [{}, exact, ...long.map((each) => ({ text: each })), ...random];
  return values.map((each) => Buffer.from(JSON.stringify(each)));
}

function sign(body: Buffer, secret: Secret, at = new Date()): Signed {
  return { body, secret, headers: buildDeliveryHeaders(secret, randomUUID(), body, at) };
}

/** The same message with one byte of the body changed. */
function changed(message: Signed, position: number, by: number): Signed {
  const body = Buffer.from(message.body);
  body.writeUInt8(body.readUInt8(position) ^ by, position);
  return { ...message, body };
}

async function accepts(verify: Verify, message: Signed): Promise<boolean> {
  try {
    await verify(message);
    return true;
  } catch {
    return false;
  }
}

let bodies: Buffer[];
beforeAll(() => {
  bodies = payloads();
  const sizes = bodies.map(({ length }) => length);
  expect([bodies.length, Math.min(...sizes)]).toEqual([count, 2]);
  expect(Math.max(...sizes)).toBeGreaterThan(64 * KIB - 8);
  // Nothing is told of payloads that are all alike, or all ASCII.
  expect(new Set(bodies.map(String)).size).toBeGreaterThan(count * 0.9);
  expect(bodies.filter((body) => body.some((byte) => byte >= 0xf0)).length).toBeGreaterThan(count / 4);
});

describe.each(Object.keys(loaders))('%s', (name) => {
  let verify: Verify;
  beforeAll(async () => {
    verify = (await loaders[name]?.()) as Verify;
  });

  test('accepts 1,000 random payloads and refuses each with a random byte changed', async () => {
    const wrong: string[] = [];
    for (const [index, body] of bodies.entries()) {
      const message = sign(body, generateSigningSecret());
      const position = Math.floor(Math.random() * body.length);
      const by = 1 + Math.floor(Math.random() * 255);
      if (!(await accepts(verify, message))) wrong.push(`${index} is refused`);
      if (await accepts(verify, changed(message, position, by)))
        wrong.push(`${index} is accepted with byte ${position} changed by ${by}`);
    }
    expect(wrong).toEqual([]);
  });

  test('refuses a change of every single byte', async () => {
    const wrong: string[] = [];
    const some = bodies.filter(({ length }) => length > 2 && length < 300).slice(0, 12);
    for (const [index, body] of [...some, Buffer.from('{}')].entries()) {
      const message = sign(body, generateSigningSecret());
      for (let position = 0; position < body.length; position += 1) {
        for (const by of [1, 0x20, 0x80]) {
          if (await accepts(verify, changed(message, position, by)))
            wrong.push(`${index} at ${position} by ${by}`);
        }
      }
    }
    expect(some).toHaveLength(12);
    expect(wrong).toEqual([]);
  });

  test('refuses a body that is cut short, drawn out, or signed with another secret', async () => {
    for (const body of bodies.slice(0, 20)) {
      const message = sign(body, generateSigningSecret());
      for (const other of [body.subarray(0, -1), Buffer.concat([body, Buffer.from('\n')])])
        expect(await accepts(verify, { ...message, body: other })).toBe(false);
      expect(await accepts(verify, { ...message, secret: generateSigningSecret() })).toBe(false);
    }
  });
});

describe('the check of our own receivers', () => {
  const check: Verify = ({ body, headers, secret }) => {
    if (!isServiceSignatureValid(secret, headers['Service-Signature'] ?? '', body, new Date()))
      throw new Error('refused');
  };

  test('accepts 1,000 random payloads and refuses each with a random byte changed', async () => {
    for (const body of bodies) {
      const message = sign(body, generateSigningSecret());
      expect(await accepts(check, message)).toBe(true);
      const position = Math.floor(Math.random() * body.length);
      expect(await accepts(check, changed(message, position, 1 + Math.floor(Math.random() * 255)))).toBe(
        false,
      );
    }
  });

  test('refuses a timestamp that is 301 seconds off in either direction and accepts 299', () => {
    const now = new Date('2026-11-21T12:00:00.000Z');
    for (const body of bodies) {
      const secret = generateSigningSecret();
      const verdicts = [-301, -299, 0, 299, 301].map((seconds) => {
        const header = serviceSignatureHeader(secret, body, new Date(now.getTime() + seconds * 1000));
        return isServiceSignatureValid(secret, header, body, now);
      });
      expect(verdicts).toEqual([false, true, true, true, false]);
    }
  });
});
