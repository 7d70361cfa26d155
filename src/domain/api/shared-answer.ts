/** How long an answer serves, in milliseconds, on a clock that only goes forward. */
export interface AnswerAge {
  readonly maxAgeMs: number;
  readonly monotonicMs: () => number;
}

/**
 * Lets many callers share a question that is dear: while one is under way nobody asks another one, and its answer serves
 * until `maxAgeMs` after it was asked. A failure is told to those who wait for it, and is not kept.
 */
export function shareAnswer<Answer>(
  ask: () => Promise<Answer>,
  { maxAgeMs, monotonicMs }: AnswerAge,
): () => Promise<Answer> {
  let shared: { readonly askedMs: number; readonly answer: Promise<Answer>; isKnown: boolean } | undefined;
  return () => {
    if (shared !== undefined && (!shared.isKnown || monotonicMs() - shared.askedMs < maxAgeMs))
      return shared.answer;
    const asked = { askedMs: monotonicMs(), answer: ask(), isKnown: false };
    shared = asked;
    asked.answer.then(
      () => (asked.isKnown = true),
      () => (shared = undefined),
    );
    return asked.answer;
  };
}
