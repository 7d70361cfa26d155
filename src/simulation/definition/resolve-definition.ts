/** From the body of create and preview to the definition in force, or all rules that it breaks (docs/simulation.md#fleet-definition). */
import { FLEET_LIMITS } from '../../domain/fleets/fleet-limits.ts';
import type { FieldError } from '../../domain/api/problem.ts';
import { tryParseInstant } from '../../domain/api/instants.ts';
import { decodeDensity } from './density.ts';
import type { Density } from './density.ts';
import { DEFINITION_DEFAULTS, DRAWN_FIELDS, DRAWN_FIELD_BOUNDS, isPresent } from './fleet-definition.ts';
import type {
  DensityRaster,
  DensityRecord,
  EffectiveDefinition,
  FleetDefinitionBody,
  DefinitionWarning,
} from './fleet-definition.ts';
import { validateConsumptionOrder, resolveGroups } from './resolve-groups.ts';
import { computeHistoryWindow } from './definition-record.ts';

export interface ResolvedDefinition {
  readonly definition: EffectiveDefinition;
  /** The raster decoded and made ready for drawing; null without density. Not part of the JSON that is stored. */
  readonly density: Density | null;
  readonly warnings: readonly DefinitionWarning[];
}
export type DefinitionResolution =
  | ({ readonly ok: true } & ResolvedDefinition)
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** Where days are counted from, and the clocks of time zones known: the IANA database is complete from 1970 on. */
const EARLIEST_MS = 0;

export interface DefinitionLimits {
  /** Highest number of households at creation; FLEET_LIMITS.count_max by default. */
  readonly maxHouseholds: number;
}

/**
 * Applies defaults to a body that already fits the document and checks the rules that a schema cannot express.
 * Null and absent are the same. `now` is what history_cutoff is compared with. Reports all errors together.
 */
export function resolveDefinition(
  body: FleetDefinitionBody,
  now: Date,
  limits: DefinitionLimits = { maxHouseholds: FLEET_LIMITS.count_max },
): DefinitionResolution {
  const errors: FieldError[] = [];
  const warnings: DefinitionWarning[] = [];
  validateCoordinates(body, errors);
  validateRanges(body, errors, warnings);
  const cutoff = parseHistoryCutoff(body, now, errors);
  validateConsumptionOrder(body.annual_consumption_kwh, body.annual_consumption_with_ev_kwh, '', errors);
  const { count, groups } = resolveGroups(body, limits.maxHouseholds, errors, warnings);
  let density: Density | null = null;
  if (body.density) {
    const read = decodeDensity(body.density);
    if ('errors' in read) errors.push(...read.errors);
    else density = read.density;
    warnings.push(...(density?.warnings ?? []));
  }
  if (errors.length > 0) return { ok: false, errors };
  const definition: EffectiveDefinition = {
    request_id: body.request_id.toLowerCase(),
    name: body.name ?? DEFINITION_DEFAULTS.name,
    count,
    seed: body.seed ?? DEFINITION_DEFAULTS.seed,
    history_days: body.history_days ?? DEFINITION_DEFAULTS.history_days,
    history_cutoff: cutoff?.toISOString() ?? null,
    latitude: body.latitude ?? null,
    longitude: body.longitude ?? null,
    density: body.density && density ? toDensityRecord(body.density, density) : null,
    ev_ownership_fraction: body.ev_ownership_fraction ?? DEFINITION_DEFAULTS.ev_ownership_fraction,
    pv_rating_kw: body.pv_rating_kw ?? null,
    battery_capacity_kwh: body.battery_capacity_kwh ?? null,
    max_charge_power_w: body.max_charge_power_w ?? null,
    max_discharge_power_w: body.max_discharge_power_w ?? null,
    initial_soc_percent: body.initial_soc_percent ?? null,
    pv_rating_kw_range: body.pv_rating_kw_range ?? null,
    battery_capacity_kwh_range: body.battery_capacity_kwh_range ?? null,
    initial_soc_percent_range: body.initial_soc_percent_range ?? null,
    max_charge_power_w_range: body.max_charge_power_w_range ?? null,
    max_discharge_power_w_range: body.max_discharge_power_w_range ?? null,
    annual_consumption_kwh: body.annual_consumption_kwh ?? null,
    annual_consumption_with_ev_kwh: body.annual_consumption_with_ev_kwh ?? null,
    groups,
  };
  return { ok: true, definition, density, warnings };
}

function toDensityRecord(
  { country, dataset_version, boundary_version, grid }: DensityRaster,
  { weightsSha256: weights_sha256 }: Density,
): DensityRecord {
  return { country, dataset_version, boundary_version, grid, weights_sha256 };
}

function validateCoordinates(body: FleetDefinitionBody, errors: FieldError[]): void {
  if (isPresent(body.latitude) === isPresent(body.longitude)) return;
  const missing = isPresent(body.latitude) ? 'longitude' : 'latitude';
  const detail = `${missing} is missing; send both coordinates or neither.`;
  errors.push({ pointer: `/${missing}`, code: 'coordinates_incomplete', detail });
}

function validateRanges(
  body: FleetDefinitionBody,
  errors: FieldError[],
  warnings: DefinitionWarning[],
): void {
  for (const name of DRAWN_FIELDS) {
    const range = body[`${name}_range`];
    if (!range) continue;
    const pointer = `/${name}_range`;
    const bounds = DRAWN_FIELD_BOUNDS[name];
    if (range.min > range.max) {
      errors.push({ pointer, code: 'range_order', detail: `min ${range.min} lies above max ${range.max}.` });
    } else if (range.min < bounds.min || range.max > bounds.max) {
      const detail = `Draws outside ${bounds.min} to ${bounds.max} are brought back to it.`;
      warnings.push({ pointer, code: 'range_clamped', detail });
    }
  }
}

/** The cutoff as an instant; a text that is no instant is left to the document's validation. */
function parseHistoryCutoff(body: FleetDefinitionBody, now: Date, errors: FieldError[]): Date | null {
  const { history_cutoff: text = null, history_days = DEFINITION_DEFAULTS.history_days } = body;
  const cutoff = text === null ? null : (tryParseInstant(text) ?? null);
  if (cutoff === null) return null;
  const pointer = '/history_cutoff';
  if (cutoff > now) {
    const detail = `history_cutoff lies after the present, ${now.toISOString()}.`;
    errors.push({ pointer, code: 'instant_in_future', detail });
  }
  const { from } = computeHistoryWindow({ history_cutoff: cutoff.toISOString(), history_days }, now);
  if (from.getTime() < EARLIEST_MS) {
    const earliest = new Date(EARLIEST_MS).toISOString();
    const detail = `The history begins ${history_days} days before history_cutoff, and must not before ${earliest}.`;
    errors.push({ pointer, code: 'instant_too_early', detail });
  }
  return cutoff;
}
