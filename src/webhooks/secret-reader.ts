import { decrypt, webhookSecretContext } from '../domain/security/encryption.ts';
import type { EncryptedValue, Keyring } from '../domain/security/encryption.ts';
import type { Secret } from '../domain/security/secret.ts';

/** Decrypts the secrets of webhooks: once for all deliveries of a claim, which share it as one object. */
export class SecretReader {
  readonly #keyring: Keyring;
  readonly #secrets = new WeakMap<EncryptedValue, Secret>();

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  /** Throws when the key is not in the keyring, and when the value was altered or belongs to another webhook. */
  read(encrypted: EncryptedValue, webhookId: string): Secret {
    let secret = this.#secrets.get(encrypted);
    if (secret === undefined) {
      secret = decrypt(this.#keyring, encrypted, webhookSecretContext(webhookId));
      this.#secrets.set(encrypted, secret);
    }
    return secret;
  }
}
