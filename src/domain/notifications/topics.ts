import type { FieldError } from '../api/problem.ts';

/** The topics that a webhook can subscribe to; a topic is also the `message_type` of its messages. */
export const TOPICS = ['device.action_required', 'device.information'] as const;
export type Topic = (typeof TOPICS)[number];

/** Whether a text is one of the topics. */
export function isTopic(text: string): text is Topic {
  return (TOPICS as readonly string[]).includes(text);
}

/** `not_subscribed` unless the topic is one of those of the webhook to be tested. */
export function validateSubscription(topics: readonly string[], topic: string): FieldError[] {
  if (topics.includes(topic)) return [];
  const known = topics.length === 0 ? 'It has no topics.' : `Its topics: ${topics.join(', ')}.`;
  const detail = `The webhook is not subscribed to this topic. ${known}`;
  return [{ pointer: '/topic', code: 'not_subscribed', detail }];
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
