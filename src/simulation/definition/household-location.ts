/** Locations of households: density, else the fixed pair, else the default location (docs/simulation.md#density-raster). */
import tzLookup from '@photostructure/tz-lookup';
import type { Density } from './density.ts';
import { drawLocation } from './density.ts';
import { DEFINITION_DEFAULTS } from './fleet-definition.ts';
import type { EffectiveDefinition } from './fleet-definition.ts';
import { findCountryCodeAt } from '../environment/geography.ts';
import type { Seed } from '../kernel/noise.ts';

export type LocationSource = 'density' | 'fixed' | 'default';

export interface HouseholdLocation {
  readonly latitude: number;
  readonly longitude: number;
  /** ISO 3166-1 alpha-2, null at sea. */
  readonly country: string | null;
  /** IANA name. */
  readonly time_zone: string;
  readonly source: LocationSource;
}

const round = (degrees: number): number => Math.round(degrees * 1e6) / 1e6;

/** Where households of a definition without a density are, by its pair or the default one. */
export function fixedLocationOf({
  latitude,
  longitude,
}: Pick<EffectiveDefinition, 'latitude' | 'longitude'>): Pick<
  HouseholdLocation,
  'latitude' | 'longitude' | 'source'
> {
  return {
    latitude: latitude ?? DEFINITION_DEFAULTS.latitude,
    longitude: longitude ?? DEFINITION_DEFAULTS.longitude,
    source: latitude !== null && longitude !== null ? 'fixed' : 'default',
  };
}

/** A function from household index to location; the fixed location is looked up once. */
export function createHouseholdLocationLookup(
  definition: Pick<EffectiveDefinition, 'latitude' | 'longitude'>,
  density: Density | null,
  seed: Seed,
): (index: number) => HouseholdLocation {
  if (density) {
    return (index) => {
      const drawn = drawLocation(density, seed, index);
      const latitude = round(drawn.latitude);
      const longitude = round(drawn.longitude);
      const time_zone = tzLookup(latitude, longitude);
      return { latitude, longitude, country: density.country.code, time_zone, source: 'density' };
    };
  }
  const { latitude, longitude, source } = fixedLocationOf(definition);
  const location: HouseholdLocation = {
    latitude,
    longitude,
    country: findCountryCodeAt(latitude, longitude),
    time_zone: tzLookup(latitude, longitude),
    source,
  };
  return () => location;
}
