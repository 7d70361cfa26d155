import { expect, test } from 'vitest';
import { encodeEnvelope } from '../../../src/domain/notifications/envelope.ts';
import { validateTopics } from '../../../src/domain/notifications/topics.ts';

test('the envelope has the fields of the document, in its order', () => {
  const data = { device_id: 'd', device_type: 'wallbox', owner_id: 'o', notice: 'device_offline' } as const;
  const bytes = encodeEnvelope('m', { type: 'device.information', data }, new Date('2026-11-21T12:00:00.5Z'));
  expect(bytes.toString()).toBe(
    '{"message_id":"m","message_type":"device.information","schema_version":1,' +
      '"occurred_at":"2026-11-21T12:00:00.500Z",' +
      '"data":{"device_id":"d","device_type":"wallbox","owner_id":"o","notice":"device_offline"}}',
  );
});

test('duplicates of a topic are folded', () => {
  expect(validateTopics(['device.information', 'device.action_required', 'device.information'])).toEqual({
    topics: ['device.action_required', 'device.information'],
    errors: [],
  });
});

test('every unknown topic is an error that lists the known ones; the test type is not a topic', () => {
  const { errors } = validateTopics(['device.information', 'service.test', '']);
  const detail = 'There is no such topic. Known topics: device.action_required, device.information.';
  expect(errors).toEqual([
    { pointer: '/topics/1', code: 'unknown_topic', detail },
    { pointer: '/topics/2', code: 'unknown_topic', detail },
  ]);
});
