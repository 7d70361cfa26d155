import type { FieldError } from '../api/problem.ts';

/** The topics that a webhook can subscribe to; a topic is also the `message_type` of its messages. */
export const TOPICS = ['device.action_required', 'device.information'] as const;
export type Topic = (typeof TOPICS)[number];

/** Whether a text is one of the topics. */
export function isTopic(text: string): text is Topic {
  return (TOPICS as readonly string[]).includes(text);
}

/** The topics among `values`, each once and in the order of `TOPICS`; every unknown value gives an error `unknown_topic`. */
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
