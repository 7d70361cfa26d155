import { expect, test } from 'vitest';
import { CONDITION_CODES } from '../../../src/domain/notifications/conditions.ts';
import type { DeviceType } from '../../../src/domain/notifications/envelope.ts';
import { notificationText } from '../../../src/domain/notifications/notification-texts.ts';

test('every condition of every type of device has a text of its own that names the device', () => {
  const types: readonly DeviceType[] = ['electric_vehicle', 'heat_pump', 'inverter', 'wallbox'];
  for (const deviceType of types) {
    const texts = CONDITION_CODES.map((code) =>
      notificationText(code, { deviceType, name: 'Device 7', manufacturer: 'Helio' }),
    );
    expect(new Set(texts).size).toBe(CONDITION_CODES.length);
    for (const text of texts) expect(text).toMatch(/^(?=.*Device 7).{40,250}\.$/);
  }
});
