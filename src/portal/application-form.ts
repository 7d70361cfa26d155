import type { Request } from 'express';
import { newClientId } from '../domain/security/credentials.ts';
import { GRANT_TYPES } from '../domain/security/grant-types.ts';
import type { GrantType } from '../domain/security/grant-types.ts';
import { TOKEN_SCOPES } from '../domain/security/token-scopes.ts';
import type { TokenScope } from '../domain/security/token-scopes.ts';
import type { PortalResponse } from './context.ts';
import { readFormField } from './forms.ts';
import type { FieldMessages } from './forms.ts';
import { sendView } from '../html/render.ts';

/** The grant types as the portal names them. */
export const GRANT_LABELS: Readonly<Record<GrantType, string>> = {
  'client-credentials': 'Client credentials',
  password: 'Resource owner password-based',
};

/** What an application's tokens may do, in words. */
export const SCOPE_LABELS: Readonly<Record<TokenScope, string>> = {
  'read write': 'Read and write',
  read: 'Only read',
};

const MAX_NAME_LENGTH = 255;

/** The form as it was filled in. */
export interface ApplicationValues {
  readonly name: string;
  readonly grantType: string;
  readonly scope: string;
  readonly redirectUris: string;
}

/** The form's values; an untouched form, or a field left out, has those that are preselected. */
export function readApplicationForm(request: Request | undefined): ApplicationValues {
  const read = (name: string): string => (request === undefined ? '' : readFormField(request, name).trim());
  return {
    name: read('name'),
    grantType: read('authorization_grant_type') || 'client-credentials',
    scope: read('scope') || 'read write',
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
  if (!TOKEN_SCOPES.some((scope) => scope === values.scope)) messages['scope'] = 'Choose one of the two.';
  if (values.redirectUris !== '')
    messages['redirect_uris'] = 'Leave this field empty: neither grant type redirects.';
  return messages;
}

/** What is stored of values that validateApplicationForm has found to be right. */
export function toApplicationChange({ name, grantType, scope }: ApplicationValues): {
  readonly name: string;
  readonly grantType: GrantType;
  readonly scope: TokenScope;
} {
  return {
    name,
    grantType: grantType === 'password' ? 'password' : 'client-credentials',
    scope: scope === 'read' ? 'read' : 'read write',
  };
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
  /** The path that Cancel leads to. */
  readonly back: string;
  /** The label of its button. */
  readonly submit: string;
  readonly values: ApplicationValues;
  readonly errors: FieldMessages;
  /** Of a form that registers. */
  readonly clientId?: string;
  /** Of a form that changes: the version that it began with. */
  readonly version?: string;
  /** What is stored now, when somebody else has changed the application meanwhile. */
  readonly stored?: ApplicationValues;
}

const STALE_TEXT =
  'Somebody else has changed this application meanwhile. What is stored now stands below each field that differs; save again to put yours in its place.';

/** Answers with the form: 200, 422 when it has errors, 412 when it is stale. */
export function sendApplicationForm(response: PortalResponse, page: FormPage): void {
  const { values, errors, stored, ...rest } = page;
  const status = stored !== undefined ? 412 : Object.keys(errors).length > 0 ? 422 : 200;
  sendView(response, status, 'application-form', {
    ...rest,
    errors,
    stale: stored === undefined ? undefined : STALE_TEXT,
    fields: describeFields(values, errors, stored),
  });
}

function describeFields(values: ApplicationValues, errors: FieldMessages, stored?: ApplicationValues) {
  const [focused = 'name'] = Object.keys(errors);
  const fields = [
    {
      name: 'name',
      label: 'Name',
      value: values.name,
      stored: differing(values.name, stored?.name),
      hint: 'For you to recognise it by, for example the system that uses it.',
      maxlength: MAX_NAME_LENGTH,
    },
    {
      name: 'client_type',
      label: 'Client type',
      value: 'confidential',
      choices: { confidential: 'Confidential' },
    },
    {
      name: 'authorization_grant_type',
      label: 'Authorization grant type',
      value: values.grantType,
      stored: differing(values.grantType, stored?.grantType, (type) => GRANT_LABELS[type as GrantType]),
      hint: 'Client credentials is right for servers. The password-based grant is deprecated (RFC 9700).',
      choices: GRANT_LABELS,
    },
    {
      name: 'scope',
      label: 'Its tokens may',
      value: values.scope,
      stored: differing(values.scope, stored?.scope, (scope) => SCOPE_LABELS[scope as TokenScope]),
      hint: 'Only read is right for dashboards and reports. Tokens that it has already follow at once.',
      choices: SCOPE_LABELS,
    },
    {
      name: 'redirect_uris',
      label: 'Redirect URIs',
      value: values.redirectUris,
      hint: 'Leave empty: neither grant type redirects.',
      required: false,
    },
  ];
  return fields.map((field) => ({
    ...field,
    error: errors[field.name],
    autofocus: field.name === focused,
  }));
}

/** The stored value in words, where it is another one. */
function differing(
  value: string,
  stored: string | undefined,
  describe = (text: string): string => text,
): string | undefined {
  return stored === undefined || stored === value ? undefined : describe(stored);
}
