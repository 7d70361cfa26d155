import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { Secret } from './secret.ts';

// AES-256-GCM with the sizes of NIST SP 800-38D: a random IV of 96 bits and a tag of 128 bits.
const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Keys by id; new values are encrypted with the current one, old ones can be decrypted while their key is here. */
export interface Keyring {
  readonly currentKeyId: string;
  readonly keys: ReadonlyMap<string, KeyObject>;
}

/** A value as it is stored. */
export interface EncryptedValue {
  /** The key that encrypted it. */
  readonly keyId: string;
  /** IV (12 bytes), tag (16 bytes) and ciphertext, one after the other. */
  readonly bytes: Buffer;
}

/** The id of a key: 16 hexadecimal digits of a hash, which tell nothing of the key and are the same on every machine. */
export function computeKeyId(key: Buffer): string {
  return createHash('sha256').update('key id\0').update(key).digest('hex').slice(0, 16);
}

/** A keyring of the current key and those before it. Throws a RangeError unless each has 32 bytes. */
export function createKeyring(current: Buffer, previous: readonly Buffer[] = []): Keyring {
  for (const key of [current, ...previous]) {
    if (key.length !== KEY_BYTES)
      throw new RangeError(`An encryption key has ${KEY_BYTES} bytes, not ${key.length}.`);
  }
  return {
    currentKeyId: computeKeyId(current),
    keys: new Map([...previous, current].map((key) => [computeKeyId(key), createSecretKey(key)])),
  };
}

/**
 * Encrypts with AES-256-GCM under the current key. `context` names the record that holds the value (`webhook:<id>`) and
 * is authenticated with it: copied into another record, the value cannot be decrypted.
 */
export function encrypt(keyring: Keyring, plaintext: Secret, context: string): EncryptedValue {
  const key = getKey(keyring, keyring.currentKeyId);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(plaintext.reveal(), 'utf8'), cipher.final()]);
  return { keyId: keyring.currentKeyId, bytes: Buffer.concat([iv, cipher.getAuthTag(), ciphertext]) };
}

/** Throws when the key is not in the keyring, and when the value was altered or belongs to another context. */
export function decrypt(keyring: Keyring, { keyId, bytes }: EncryptedValue, context: string): Secret {
  const iv = bytes.subarray(0, IV_BYTES);
  const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
  const ciphertext = bytes.subarray(IV_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, getKey(keyring, keyId), iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(tag);
  return new Secret(Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8'));
}

function getKey(keyring: Keyring, keyId: string): KeyObject {
  const key = keyring.keys.get(keyId);
  if (key === undefined)
    throw new Error(`The encryption key ${keyId} is not configured (ENCRYPTION_KEY_PREVIOUS).`);
  return key;
}

/** The encryption context of the answer that is stored with an idempotency key. */
export function answerContext(partnerId: string, userId: string, keyHash: Buffer): string {
  return `answer:${partnerId}:${userId}:${keyHash.toString('hex')}`;
}

/** The encryption context of a webhook's signing secret. */
export function webhookSecretContext(webhookId: string): string {
  return `webhook:${webhookId}`;
}
