import type { Request } from 'express';
import { grantTypes } from '../queries/accounts/applications.ts';
import type { GrantType } from '../queries/accounts/applications.ts';
import { readFormField } from './forms.ts';
import type { FieldMessages } from './forms.ts';

export const GRANT_LABELS: Readonly<Record<GrantType, string>> = {
  'client-credentials': 'Client credentials',
  password: 'Resource owner password-based',
};

/** The form as it was filled in. */
export interface ApplicationValues {
  readonly name: string;
  readonly grantType: string;
  readonly redirectUris: string;
}

/** The form's values; an untouched form, or a field left out, has those that are preselected. */
export function readApplicationForm(request: Request | undefined): ApplicationValues {
  const read = (name: string): string => (request === undefined ? '' : readFormField(request, name).trim());
  return {
    name: read('name'),
    grantType: read('authorization_grant_type') || 'client-credentials',
    redirectUris: read('redirect_uris'),
  };
}

export function validateApplicationForm(request: Request, values: ApplicationValues): FieldMessages {
  const faults: Record<string, string> = {};
  if (values.name === '') faults['name'] = 'Give the application a name.';
  else if (values.name.length > 255) faults['name'] = 'Use at most 255 characters.';
  if (!['', 'confidential'].includes(readFormField(request, 'client_type')))
    faults['client_type'] = 'Choose Confidential.';
  if (!grantTypes.some((type) => type === values.grantType))
    faults['authorization_grant_type'] = 'Choose one of the two grant types.';
  if (values.redirectUris !== '')
    faults['redirect_uris'] = 'Leave this field empty: neither grant type redirects.';
  return faults;
}

/** The grant type of values without faults. */
export function toGrantType(values: ApplicationValues): GrantType {
  return values.grantType === 'password' ? 'password' : 'client-credentials';
}
