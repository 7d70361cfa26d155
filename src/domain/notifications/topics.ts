import type { FieldError } from '../api/problem.ts';

/** What a webhook can subscribe to. A topic is also the `message_type` of its messages. */
export const topics = ['device.action_required', 'device.information'] as const;
export type Topic = (typeof topics)[number];

export function isTopic(text: string): text is Topic {
  return (topics as readonly string[]).includes(text);
}

/** A subscription set: duplicates folded, in the order of the table; every unknown topic is a field error. */
export function readTopics(
  values: readonly string[],
  pointer = '/topics',
): { topics: Topic[]; errors: FieldError[] } {
  return {
    topics: topics.filter((topic) => values.includes(topic)),
    errors: values.flatMap((value, index) =>
      isTopic(value)
        ? []
        : [
            {
              pointer: `${pointer}/${index}`,
              code: 'unknown_topic',
              detail: `There is no such topic. Known topics: ${topics.join(', ')}.`,
            },
          ],
    ),
  };
}
