import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPrivateFile } from './private-file.ts';
import type { Settings } from './settings.ts';

type KeySettings = Pick<Settings, 'encryptionKey' | 'encryptionKeyPrevious' | 'dataDir'>;

/**
 * The key of ENCRYPTION_KEY, or the one in the data folder, which is generated the first time; and the key of
 * ENCRYPTION_KEY_PREVIOUS, if it is set. 32 bytes each.
 */
export function readEncryptionKeys(settings: KeySettings): { key: Buffer; previous: Buffer[] } {
  const text = settings.encryptionKey?.reveal() ?? readOrCreateKeyFile(settings.dataDir);
  const previous = settings.encryptionKeyPrevious?.reveal();
  return {
    key: Buffer.from(text, 'base64'),
    previous: previous === undefined ? [] : [Buffer.from(previous, 'base64')],
  };
}

/** Generated once and whole, though a command starts beside the service: with half a key, or another one, no stored secret could be decrypted. */
function readOrCreateKeyFile(dataDir: string): string {
  const path = join(dataDir, 'encryption-key');
  if (!existsSync(path)) createPrivateFile(path, `${randomBytes(32).toString('base64')}\n`);
  return readFileSync(path, 'utf8').trim();
}
