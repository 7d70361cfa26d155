import type { components } from '../../../generated/openapi.ts';
import type { FieldError } from '../../domain/api/problem.ts';
import { isAssignedCountryCode } from '../../domain/users/countries.ts';
import type { OutageSubject } from '../../queries/fleets/shared-outages.ts';

type Body = components['schemas']['FleetEventTrigger'];
type SubjectField = 'manufacturer' | 'country' | 'circle' | 'user_ids';

const SUBJECT_FIELDS: readonly SubjectField[] = ['manufacturer', 'country', 'circle', 'user_ids'];

/** What each cause strikes: one of these. */
const FIELDS_OF_CAUSE: Readonly<Record<Body['cause'], readonly SubjectField[]>> = {
  manufacturer_cloud: ['manufacturer'],
  region: ['country', 'circle'],
  household_router: ['user_ids'],
};

/** `event_subject` unless one thing is given that the event's cause strikes; `country_unknown`. */
export function validateEventSubject(body: Body): FieldError[] {
  const fields = FIELDS_OF_CAUSE[body.cause];
  const [first = 'manufacturer'] = fields;
  const isGiven = fields.some((field) => (body[field] ?? null) !== null);
  const missing = subjectError(first, `This cause needs "${fields.join('" or "')}".`);
  return isGiven ? findSubjectErrors(body) : [missing, ...findSubjectErrors(body)];
}

/** What is wrong with what is given of a body, whatever it lacks. */
export function findSubjectErrors(body: Readonly<Record<string, unknown>>): FieldError[] {
  const fields = FIELDS_OF_CAUSE[body['cause'] as Body['cause']] as readonly SubjectField[] | undefined;
  if (fields === undefined) return [];
  const given = SUBJECT_FIELDS.filter((field) => (body[field] ?? null) !== null);
  const [, surplus] = given.filter((field) => fields.includes(field));
  const errors = given
    .filter((field) => !fields.includes(field))
    .map((field) => subjectError(field, `"${field}" does not belong to this cause.`));
  if (surplus !== undefined) errors.push(subjectError(surplus, `Give "${fields.join('" or "')}", not both.`));
  const { country } = body;
  if (typeof country === 'string' && !isAssignedCountryCode(country)) {
    const detail = `"${country}" is not an assigned ISO 3166-1 alpha-2 code.`;
    errors.push({ pointer: '/country', code: 'country_unknown', detail });
  }
  return errors;
}

function subjectError(field: SubjectField, detail: string): FieldError {
  return { pointer: `/${field}`, code: 'event_subject', detail };
}

/** What the event strikes; its body is valid. */
export function toOutageSubject({
  cause,
  manufacturer,
  country,
  circle,
  user_ids: userIds,
}: Body): OutageSubject {
  switch (cause) {
    case 'manufacturer_cloud':
      return { cause, manufacturer: manufacturer ?? '' };
    case 'household_router':
      return { cause, userIds: [...new Set((userIds ?? []).map((id) => id.toLowerCase()))] };
    case 'region': {
      if (!circle) return { cause, country: country ?? '' };
      const { latitude, longitude, radius_km: radiusKm } = circle;
      return { cause, latitude, longitude, radiusKm };
    }
  }
}
