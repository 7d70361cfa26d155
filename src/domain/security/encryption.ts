import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { Secret } from './secret.ts';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

/** Keys by id; new values are sealed with the current one, old ones stay readable while their key is here. */
export interface Keyring {
  readonly currentKeyId: string;
  readonly keys: ReadonlyMap<string, KeyObject>;
}

/** A value at rest: which key sealed it, and IV (12 bytes), tag (16 bytes) and ciphertext in one string. */
export interface Sealed {
  readonly keyId: string;
  readonly box: Buffer;
}

/** The id of a key says nothing of the key, and is the same on every machine. */
export function keyId(key: Buffer): string {
  return createHash('sha256').update('key id\0').update(key).digest('hex').slice(0, 16);
}

/** A keyring of the current key and those before it; throws unless each has 32 bytes. */
export function keyring(current: Buffer, previous: readonly Buffer[] = []): Keyring {
  for (const key of [current, ...previous]) {
    if (key.length !== keyBytes)
      throw new RangeError(`An encryption key has ${keyBytes} bytes, not ${key.length}.`);
  }
  return {
    currentKeyId: keyId(current),
    keys: new Map([...previous, current].map((key) => [keyId(key), createSecretKey(key)])),
  };
}

/**
 * Seals with AES-256-GCM. `context` names the place of the value (`webhook:<id>`); a box moved to
 * another place does not open.
 */
export function seal(ring: Keyring, plaintext: Secret, context: string): Sealed {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, findKey(ring, ring.currentKeyId), iv, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(context));
  const text = Buffer.concat([cipher.update(plaintext.reveal(), 'utf8'), cipher.final()]);
  return { keyId: ring.currentKeyId, box: Buffer.concat([iv, cipher.getAuthTag(), text]) };
}

/** Throws when the key is not in the keyring, or when the box was altered or belongs to another context. */
export function open(ring: Keyring, sealed: Sealed, context: string): Secret {
  const key = findKey(ring, sealed.keyId);
  const iv = sealed.box.subarray(0, ivBytes);
  const tag = sealed.box.subarray(ivBytes, ivBytes + tagBytes);
  const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(tag);
  const text = Buffer.concat([decipher.update(sealed.box.subarray(ivBytes + tagBytes)), decipher.final()]);
  return new Secret(text.toString('utf8'));
}

function findKey(ring: Keyring, id: string): KeyObject {
  const key = ring.keys.get(id);
  if (key === undefined)
    throw new Error(`The encryption key ${id} is not configured (ENCRYPTION_KEY_PREVIOUS).`);
  return key;
}

/** Where a webhook's signing secret is sealed: the context of its box. */
export function webhookContext(webhookId: string): string {
  return `webhook:${webhookId}`;
}
