import { reencryptAnswers } from '../maintenance/reencrypt-answers.ts';
import { reencryptSecrets } from '../maintenance/reencrypt-secrets.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './context.ts';
import { withStorage } from './storage.ts';

/** How many of the webhooks with an undecryptable secret the message names. */
const NAMED_WEBHOOKS = 10;

/** Encrypts every webhook secret, and every answer that is stored with an idempotency key, under ENCRYPTION_KEY, beside running services. */
export function rotateKeysCommand(context: CommandContext): Promise<number> {
  return withStorage(context, async ({ db, keyring }) => {
    const { total, reencrypted, undecryptable } = await reencryptSecrets(db, keyring);
    const unchanged = total - reencrypted - undecryptable.length;
    console.log(
      `Webhook secrets: ${reencrypted} re-encrypted, ${unchanged} encrypted under the current key already.`,
    );
    console.log(`Stored answers: ${await reencryptAnswers(db, keyring)} re-encrypted.`);
    if (undecryptable.length > 0) {
      const named = undecryptable.slice(0, NAMED_WEBHOOKS).join(', ');
      const more = undecryptable.length > NAMED_WEBHOOKS ? ', …' : '';
      throw new UsageError(
        `${undecryptable.length} cannot be decrypted with ENCRYPTION_KEY or ENCRYPTION_KEY_PREVIOUS (webhooks ${named}${more}).`,
      );
    }
  });
}
