import { createRequire } from 'node:module';

// The package's table alone: its entry loads the country names of some eighty languages.
const codes = createRequire(import.meta.url)(
  'i18n-iso-countries/codes.json',
) as readonly (readonly string[])[];

/** XK (Kosovo) is in common use, but user-assigned: ISO 3166-1 has not assigned it. */
const ASSIGNED_CODES = new Set(
  codes.flatMap(([alpha2]) => (alpha2 === undefined || alpha2 === 'XK' ? [] : [alpha2])),
);

/** Whether ISO 3166-1 assigns this alpha-2 code, in upper case. */
export function isAssignedCountryCode(code: string): boolean {
  return ASSIGNED_CODES.has(code);
}
