import type { components } from '../../generated/openapi.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';
import type { Role } from '../domain/users/roles.ts';

type Schemas = components['schemas'];
/** What stands beside the preferences, whatever the type of the device. */
type Metadata = Omit<
  Schemas['InverterPreferences'],
  keyof Schemas['InverterPreferencesUpdate'] | 'device_type'
>;

/** When and by whom something was asked of a device. */
interface Asked {
  readonly revision: number;
  readonly received_at: Date;
  readonly effective_from: Date;
  readonly change: string;
  readonly actor_org_id: string;
  readonly actor_user_id: string;
  readonly actor_role: Role;
  readonly request_id: string;
}

/** What is asked of a device as the API shows it. `asked`: null where nothing ever was. */
export function presentPreferences<Type extends DeviceType, Preferences extends object>(
  device: { readonly id: string; readonly type: Type },
  preferences: Preferences,
  boostEndsAt: Date | null,
  asked: Asked | null,
): Preferences & Metadata & { readonly device_type: Type } {
  return {
    device_id: device.id,
    device_type: device.type,
    ...preferences,
    boost_ends_at: boostEndsAt?.toISOString() ?? null,
    revision: asked?.revision ?? 0,
    change: asked?.change ?? null,
    received_at: asked?.received_at.toISOString() ?? null,
    effective_from: asked?.effective_from.toISOString() ?? null,
    changed_by: asked && {
      user_id: asked.actor_user_id,
      org_id: asked.actor_org_id,
      role: asked.actor_role,
    },
    request_id: asked?.request_id ?? null,
  };
}
