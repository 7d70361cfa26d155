import type { components } from '../../../generated/openapi.ts';

/** The type of test messages; webhooks cannot subscribe to it. */
export const TEST_MESSAGE_TYPE = 'service.test';

/** The types of devices, as the contract lists them. */
export type DeviceType = components['schemas']['DeviceType'];

interface DeviceData {
  readonly device_id: string;
  readonly device_type: DeviceType;
  readonly owner_id: string;
}

/** The data of a message by its type. `action` and `notice` may get further values. */
export type Content =
  | { readonly type: 'device.action_required'; readonly data: DeviceData & { readonly action: string } }
  | { readonly type: 'device.information'; readonly data: DeviceData & { readonly notice: string } }
  | { readonly type: typeof TEST_MESSAGE_TYPE; readonly data: { readonly topic: string } };

/** Version of `data` by message type: additions keep it, a breaking change raises it. */
const SCHEMA_VERSIONS = {
  'device.action_required': 1,
  'device.information': 1,
  [TEST_MESSAGE_TYPE]: 1,
} satisfies Record<Content['type'], number>;

/**
 * The body of a message as UTF-8 JSON. It is built once and sent unchanged in every attempt, so that a retry after an
 * upgrade of the program is still the same message.
 */
export function encodeEnvelope(messageId: string, content: Content, occurredAt: Date): Buffer {
  return Buffer.from(
    JSON.stringify({
      message_id: messageId,
      message_type: content.type,
      schema_version: SCHEMA_VERSIONS[content.type],
      occurred_at: occurredAt.toISOString(),
      data: content.data,
    }),
  );
}
