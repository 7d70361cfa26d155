import type { Request } from 'express';
import { TOPICS } from '../domain/notifications/topics.ts';
import type { Topic } from '../domain/notifications/topics.ts';
import { readFormField } from './forms.ts';
import type { FieldMessages } from './forms.ts';

/** What a topic tells, for people. */
export const TOPIC_TEXTS: Readonly<Record<Topic, string>> = {
  'device.action_required': 'Somebody has to do something: a device asks for a new sign-in.',
  'device.information': 'Something to know: an outage, a missing subscription, a target that was missed.',
};

/** The form as it was filled in. */
export interface WebhookValues {
  readonly url: string;
  readonly topics: readonly string[];
  readonly enabled: boolean;
}

const topicField = (topic: string): string => `topic:${topic}`;

/** A form that nobody has filled in yet: all topics. */
export const NEW_WEBHOOK: WebhookValues = { url: '', topics: TOPICS, enabled: true };

/** What was filled in. */
export function readWebhookForm(request: Request): WebhookValues {
  return {
    url: readFormField(request, 'url').trim(),
    topics: TOPICS.filter((topic) => readFormField(request, topicField(topic)) === 'yes'),
    enabled: readFormField(request, 'enabled') !== 'false',
  };
}

/** The address, which only a new webhook takes. */
export function describeAddressField({ url }: WebhookValues, { url: error }: FieldMessages) {
  return {
    name: 'url',
    label: 'Address',
    type: 'url',
    value: url,
    maxlength: 2048,
    hint: 'https, reachable from the internet. It cannot be changed later.',
    error,
    autofocus: true,
  };
}

/** The topics as boxes to check, with those that are stored now where they differ. */
export function describeTopics(values: WebhookValues, errors: FieldMessages, stored?: WebhookValues) {
  return {
    name: 'topics',
    legend: 'Topics',
    hint: 'Of what it is told. Without a topic it receives nothing.',
    options: TOPICS.map((topic) => ({
      name: topicField(topic),
      label: topic,
      hint: TOPIC_TEXTS[topic],
      isChecked: values.topics.includes(topic),
    })),
    error: errors['topics'],
    stored:
      stored === undefined || stored.topics.join() === values.topics.join()
        ? undefined
        : stored.topics.join(', '),
  };
}

const STATES = { true: 'Enabled', false: 'Disabled' };

/** Whether it is enabled. */
export function describeStateField({ enabled }: WebhookValues, stored?: WebhookValues) {
  return {
    name: 'enabled',
    label: 'State',
    value: String(enabled),
    choices: STATES,
    hint: 'While it is disabled, what happens is dropped and never sent later. What is pending is dropped too.',
    stored:
      stored === undefined || stored.enabled === enabled
        ? undefined
        : STATES[stored.enabled ? 'true' : 'false'],
  };
}
