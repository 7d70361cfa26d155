import { Problem } from '../domain/api/problem.ts';
import { findJsonFault } from './scan-json.ts';

const utf8Decoder = new TextDecoder('utf-8', { fatal: true });
/** U+0000 and surrogates can only be written as escapes: the decoder lets no half through, JSON no control character. */
const RISKY_ESCAPE_PATTERN = /\\u(?:0000|d[89a-f])/i;

/** A JSON text that was parsed. */
export interface JsonBody {
  readonly value: unknown;
  /** Whether a text of it may hold U+0000 or half of a surrogate pair; false means that none does. */
  readonly mayHoldUnstorableText: boolean;
}

/**
 * The value of a JSON body.
 * @throws Problem malformed_json (400) when it is empty, is not UTF-8, is not JSON, is nested too deep or has a property
 * twice in one object.
 */
export function parseJsonBody(bytes: Uint8Array): JsonBody {
  if (bytes.length === 0)
    throw new Problem('malformed_json', 'The body is empty; this operation needs a JSON body.');
  const text = decode(bytes);
  const fault = findJsonFault(text);
  if (fault !== undefined) throw new Problem('malformed_json', `The body is refused. ${fault}`);
  try {
    return {
      value: JSON.parse(text) as unknown,
      mayHoldUnstorableText: text.includes('\\u') && RISKY_ESCAPE_PATTERN.test(text),
    };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : '';
    throw new Problem('malformed_json', `The body is not valid JSON. ${reason}`.slice(0, 300), { cause });
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8Decoder.decode(bytes);
  } catch (cause) {
    throw new Problem('malformed_json', 'The body is not valid JSON. It is not UTF-8.', { cause });
  }
}
