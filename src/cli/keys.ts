import { giveUpKeys, nameSome, rememberKey } from '../maintenance/known-keys.ts';
import { reencryptAnswers } from '../maintenance/reencrypt-answers.ts';
import { reencryptSecrets } from '../maintenance/reencrypt-secrets.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './context.ts';
import { withStorage } from './storage.ts';

/** Encrypts every webhook secret, and every answer that is stored with an idempotency key, under ENCRYPTION_KEY, beside running services. */
export function rotateKeysCommand(context: CommandContext): Promise<number> {
  return withStorage(context, async ({ db, keyring }) => {
    await rememberKey(db, keyring, new Date());
    const { total, reencrypted, undecryptable } = await reencryptSecrets(db, keyring);
    const unchanged = total - reencrypted - undecryptable.length;
    console.log(
      `Webhook secrets: ${reencrypted} re-encrypted, ${unchanged} encrypted under the current key already.`,
    );
    console.log(`Stored answers: ${await reencryptAnswers(db, keyring)} re-encrypted.`);
    if (undecryptable.length > 0) {
      throw new UsageError(
        `${undecryptable.length} cannot be decrypted with ENCRYPTION_KEY or ENCRYPTION_KEY_PREVIOUS (webhooks ${nameSome(undecryptable)}).`,
      );
    }
  });
}

/** Gives up what lost keys have encrypted, so that services start without them. */
export function lostKeysCommand(context: CommandContext, keyIds: readonly string[]): Promise<number> {
  return withStorage(context, async ({ db, keyring }) => {
    const webhooks = await giveUpKeys(db, keyring, keyIds, new Date());
    console.log(
      `Given up: ${keyIds.join(', ')}. Webhooks whose deliveries fail until their partners rotate the secret: ${webhooks}.`,
    );
  });
}
