import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ProblemCode } from '../../generated/problems.ts';
import type { OperationReply } from '../contract/handlers.ts';
import { Problem } from '../domain/api/problem.ts';
import type { ProblemOptions } from '../domain/api/problem.ts';
import { answerContext, decrypt, encrypt } from '../domain/security/encryption.ts';
import type { EncryptedValue, Keyring } from '../domain/security/encryption.ts';
import { Secret } from '../domain/security/secret.ts';
import type { IdempotencyKey } from '../queries/accounts/idempotency-keys.ts';

/** Tells a client that its request has run before (draft-ietf-httpapi-idempotency-key-header leaves the name open). */
const REPLAYED = { 'Idempotent-Replayed': 'true' } as const;
/** The longest answer, a fleet of 100 groups, is far below; a stored one that unfolds to more is not ours. */
const MAX_ANSWER_BYTES = 1_048_576;

/** What an operation has answered. */
export type Answer = { readonly reply: OperationReply } | { readonly problem: Problem };

interface StoredProblem extends ProblemOptions {
  readonly code: ProblemCode;
  readonly detail: string;
}

type StoredAnswer = { readonly reply: OperationReply } | { readonly problem: StoredProblem };

/** Encrypts an answer for its key: some hold signed links, and all may hold what persons have told. Compressed before. */
export function sealAnswer(keyring: Keyring, key: IdempotencyKey, answer: Answer): EncryptedValue {
  const text = deflateRawSync(JSON.stringify(toStored(answer))).toString('base64');
  return encrypt(keyring, new Secret(text), answerContext(key.org_id, key.user_id, key.key_hash));
}

/** Throws when the answer was altered or belongs to another key, or when its encryption key is not configured. */
export function unsealAnswer(keyring: Keyring, key: IdempotencyKey, value: EncryptedValue): Answer {
  const text = decrypt(keyring, value, answerContext(key.org_id, key.user_id, key.key_hash)).reveal();
  const bytes = inflateRawSync(Buffer.from(text, 'base64'), { maxOutputLength: MAX_ANSWER_BYTES });
  const stored = JSON.parse(bytes.toString('utf8')) as StoredAnswer;
  if ('reply' in stored) return stored;
  const { code, detail, ...options } = stored.problem;
  return { problem: new Problem(code, detail, options) };
}

/**
 * The reply to be sent, a repeat's with a header that says so.
 * @throws the Problem that the operation was refused with.
 */
export function toReply(answer: Answer, isRepeat: boolean): OperationReply {
  if ('problem' in answer) {
    if (!isRepeat) throw answer.problem;
    const { code, message, errors, areErrorsTruncated, headers } = answer.problem;
    throw new Problem(code, message, { errors, areErrorsTruncated, headers: { ...headers, ...REPLAYED } });
  }
  const { reply } = answer;
  if (!isRepeat) return reply;
  const headers = typeof reply.headers === 'object' ? reply.headers : {};
  return { ...reply, headers: { ...headers, ...REPLAYED } };
}

/** Whether a reply is that of a repeat. */
export function isReplayed({ headers }: OperationReply): boolean {
  return typeof headers === 'object' && headers['Idempotent-Replayed'] !== undefined;
}

function toStored(answer: Answer): StoredAnswer {
  if ('reply' in answer) return answer;
  const { code, message: detail, errors, areErrorsTruncated, headers } = answer.problem;
  return { problem: { code, detail, errors, areErrorsTruncated, headers } };
}
