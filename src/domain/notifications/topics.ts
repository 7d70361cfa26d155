import type { FieldError } from '../api/problem.ts';

/** What a webhook can subscribe to. A topic is also the `message_type` of its messages. */
export const TOPICS = ['device.action_required', 'device.information'] as const;
export type Topic = (typeof TOPICS)[number];

export function isTopic(text: string): text is Topic {
  return (TOPICS as readonly string[]).includes(text);
}

/** A subscription set: duplicates folded, in the order of the table; every unknown topic is a field error. */
export function validateTopics(
  values: readonly string[],
  pointer = '/topics',
): { topics: Topic[]; errors: FieldError[] } {
  return {
    topics: TOPICS.filter((topic) => values.includes(topic)),
    errors: values.flatMap((value, index) =>
      isTopic(value)
        ? []
        : [
            {
              pointer: `${pointer}/${index}`,
              code: 'unknown_topic',
              detail: `There is no such topic. Known topics: ${TOPICS.join(', ')}.`,
            },
          ],
    ),
  };
}
