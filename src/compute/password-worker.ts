import { deriveKeyNow } from '../domain/security/passwords.ts';
import type { KeyTask } from '../domain/security/passwords.ts';

/** What a thread for passwords does: one hash, in the thread itself. Throws what Node's scrypt throws. */
export default function answerKeyTask(task: KeyTask): Uint8Array {
  return deriveKeyNow(task);
}
