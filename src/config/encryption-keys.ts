import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** Generated once, and renamed when it is complete: with a half-written key no stored secret could be decrypted. */
function readOrCreateKeyFile(dataDir: string): string {
  const path = join(dataDir, 'encryption-key');
  if (!existsSync(path)) {
    mkdirSync(dataDir, { recursive: true });
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true });
    renameSync(draft, path);
    chmodSync(path, 0o600);
  }
  return readFileSync(path, 'utf8').trim();
}
