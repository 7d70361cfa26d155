import type { Request } from 'express';
import { newClientId } from '../domain/security/credentials.ts';
import { GRANT_TYPES } from '../domain/security/grant-types.ts';
import type { GrantType } from '../domain/security/grant-types.ts';
import type { PortalResponse } from './context.ts';
import { readFormField } from './forms.ts';
import type { FieldMessages } from './forms.ts';
import { sendView } from '../html/render.ts';

/** The grant types as the portal names them. */
export const GRANT_LABELS: Readonly<Record<GrantType, string>> = {
  'client-credentials': 'Client credentials',
  password: 'Resource owner password-based',
};

const MAX_NAME_LENGTH = 255;

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

/** What is wrong with the form, by field; empty when it can be stored. */
export function validateApplicationForm(request: Request, values: ApplicationValues): FieldMessages {
  const messages: Record<string, string> = {};
  if (values.name === '') messages['name'] = 'Give the application a name.';
  else if (values.name.length > MAX_NAME_LENGTH)
    messages['name'] = `Use at most ${MAX_NAME_LENGTH} characters.`;
  if (!['', 'confidential'].includes(readFormField(request, 'client_type')))
    messages['client_type'] = 'Choose Confidential.';
  if (!GRANT_TYPES.some((type) => type === values.grantType))
    messages['authorization_grant_type'] = 'Choose one of the two grant types.';
  if (values.redirectUris !== '')
    messages['redirect_uris'] = 'Leave this field empty: neither grant type redirects.';
  return messages;
}

/** The grant type of values that validateApplicationForm has found to be right. */
export function toGrantType(values: ApplicationValues): GrantType {
  return values.grantType === 'password' ? 'password' : 'client-credentials';
}

/** The client id that the form was opened with, so that the same form cannot register twice; else a new one. */
export function readClientId(request: Request): string {
  const given = readFormField(request, 'client_id');
  return /^[A-Za-z0-9]{40}$/.test(given) ? given : newClientId();
}

interface FormPage {
  readonly heading: string;
  /** The path that the form is sent to. */
  readonly action: string;
  /** The label of its button. */
  readonly submit: string;
  readonly values: ApplicationValues;
  readonly errors: FieldMessages;
  /** Of a form that registers. */
  readonly clientId?: string;
}

/** Answers with the form: 200, or 422 when it has errors. */
export function sendApplicationForm(response: PortalResponse, page: FormPage): void {
  const status = Object.keys(page.errors).length > 0 ? 422 : 200;
  sendView(response, status, 'application-form', { ...page, grantLabels: GRANT_LABELS });
}
