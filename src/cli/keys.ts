import { resealSecrets } from '../maintenance/key-rotation.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './context.ts';
import { withStorage } from './storage.ts';

/** Puts every webhook secret under ENCRYPTION_KEY, beside running services. */
export function rotateKeysCommand(context: CommandContext): Promise<number> {
  return withStorage(context, async ({ db, keyring }) => {
    const { total, resealed, unreadable } = await resealSecrets(db, keyring);
    const rest = total - resealed - unreadable.length;
    console.log(`Webhook secrets: ${resealed} sealed anew, ${rest} under the current key already.`);
    if (unreadable.length > 0) {
      throw new UsageError(
        `${unreadable.length} cannot be opened: neither ENCRYPTION_KEY nor ENCRYPTION_KEY_PREVIOUS sealed them (webhooks ${unreadable.slice(0, 10).join(', ')}${unreadable.length > 10 ? ', …' : ''}).`,
      );
    }
  });
}
