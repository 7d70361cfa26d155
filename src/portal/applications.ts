import { isDeepStrictEqual } from 'node:util';
import type { Request } from 'express';
import {
  changeApplication,
  findVisibleApplication,
  hasOlderSecret,
  listVisibleApplications,
  removeApplication,
} from '../accounts/applications.ts';
import type { Application } from '../accounts/applications.ts';
import { isUuid } from '../domain/api/formats.ts';
import {
  GRANT_LABELS,
  readApplicationForm,
  sendApplicationForm,
  SCOPE_LABELS,
  toApplicationChange,
  validateApplicationForm,
} from './application-form.ts';
import type { ApplicationValues } from './application-form.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { readVersion } from './form-versions.ts';
import { readQueryParameter } from './forms.ts';
import { listSecrets } from './secret-list.ts';
import { APPLICATIONS_PATH } from './paths.ts';
import { formatMinute } from './times.ts';
import { sendView } from '../html/render.ts';
import { findNoticeText, redirectWithNotice, sendNotFound } from './pages.ts';

/** A page about one application. */
type ApplicationHandler = (
  context: PortalContext,
  request: Request,
  response: PortalResponse,
  application: Application,
) => Promise<void> | void;

/** The path of an application's page, with a slash at the end. */
export function applicationPath({ id }: Application): string {
  return `${APPLICATIONS_PATH}${id}/`;
}

/**
 * The handler of a page about the application that the path names by `:id`. Answers 404 when there is none, or it is
 * of another organization or (for all but admins) of another owner.
 */
export function withApplication(handle: ApplicationHandler): PageHandler {
  return async (context, request, response) => {
    const id = String(request.params['id']);
    const application = isUuid(id)
      ? await findVisibleApplication(context.db, getSession(response), id)
      : undefined;
    if (application === undefined) sendNotFound(response);
    else await handle(context, request, response, application);
  };
}

/** Logs what a signed-in person did to an application. */
export function logApplicationEvent(
  { log }: PortalContext,
  message: string,
  response: PortalResponse,
  { id }: Application,
): void {
  const session = getSession(response);
  log.info(message, { org_id: session.orgId, user_id: session.userId, application_id: id });
}

const COLUMNS = [
  { label: 'Name', kind: 'wide' },
  { label: 'Grant type', speaksForItself: true },
  { label: 'Tokens may', speaksForItself: true },
  { label: 'Client id' },
  { label: 'Registered (UTC)', kind: 'quiet' },
];

/** The list of the applications that the person may see. */
export const showApplications: PageHandler = async ({ db, baseUrl }, request, response) => {
  const session = getSession(response);
  const found = await listVisibleApplications(db, session);
  const rows = found.map((application) => [
    { text: application.name, href: applicationPath(application) },
    { text: GRANT_LABELS[application.grantType] },
    { text: SCOPE_LABELS[application.scope] },
    { text: application.clientId, copy: `client id of ${application.name}` },
    { text: formatMinute(application.createdAt), at: application.createdAt.toISOString() },
  ]);
  sendView(response, 200, 'applications', {
    applications: { columns: COLUMNS, rows },
    sentence: `Software that calls the API as ${session.orgName}${session.role === 'admin' ? '.' : ', as far as you registered it.'}`,
    notice: findNoticeText(readQueryParameter(request, 'notice')),
    call: formatTokenCall(baseUrl, '$CLIENT_ID'),
  });
};

/** One application; its secrets cannot be shown. */
export const showApplication: ApplicationHandler = ({ baseUrl, clock }, request, response, application) => {
  const path = applicationPath(application);
  const now = clock();
  sendView(response, 200, 'application', {
    application,
    grantLabels: GRANT_LABELS,
    scopeLabels: SCOPE_LABELS,
    time: formatMinute,
    secrets: listSecrets(application, now),
    actions: [
      { label: 'Edit', href: `${path}update/`, kind: 'primary' },
      { label: 'New secret', href: `${path}secret/` },
      ...(hasOlderSecret(application, now)
        ? [{ label: 'End the older secret', href: `${path}secret/end/`, kind: 'danger' }]
        : []),
      { label: 'Delete', href: `${path}delete/`, kind: 'danger' },
    ],
    notice: findNoticeText(readQueryParameter(request, 'notice')),
    call: formatTokenCall(baseUrl, application.clientId),
  });
};

/** How software gets a token. */
function formatTokenCall(baseUrl: string, clientId: string): string {
  return `curl -u "${clientId}:$CLIENT_SECRET" -d grant_type=client_credentials \\\n  "${baseUrl}/oauth2/token/"`;
}

/** Changes with every change of the application. */
export function versionOf({ updatedAt }: Application): string {
  return String(updatedAt.getTime());
}

/** The form to change the name and the grant type of an application. */
export const showApplicationUpdate: ApplicationHandler = (_context, _request, response, application) =>
  sendApplicationForm(response, { ...updateForm(application), values: application, errors: {} });

/** Changes an application from the form: 303 to its page, 422 with the form, or 412 with both values when it is stale. */
export const updateApplication: ApplicationHandler = async (context, request, response, application) => {
  const values = readApplicationForm(request);
  const errors = validateApplicationForm(request, values);
  if (Object.keys(errors).length > 0) {
    sendApplicationForm(response, {
      ...updateForm(application),
      values,
      errors,
      version: readVersion(request),
    });
    return;
  }
  const isCurrent = readVersion(request) === versionOf(application);
  const change = toApplicationChange(values);
  if (!isCurrent || !(await changeApplication(context.db, application, change, context.clock()))) {
    await answerStale(context, response, application, values);
    return;
  }
  context.invalidateCachedTokensOf(application.id);
  logApplicationEvent(context, 'Application updated.', response, application);
  redirectWithNotice(response, applicationPath(application), 'application_updated');
};

/** A form that was sent twice finds that what is stored is what it asks for. */
async function answerStale(
  { db }: PortalContext,
  response: PortalResponse,
  { id }: Application,
  values: ApplicationValues,
): Promise<void> {
  const stored = await findVisibleApplication(db, getSession(response), id);
  if (stored === undefined) sendNotFound(response);
  else if (isDeepStrictEqual(toApplicationChange(values), toApplicationChange(stored)))
    redirectWithNotice(response, applicationPath(stored), 'application_updated');
  else sendApplicationForm(response, { ...updateForm(stored), values, errors: {}, stored });
}

/** Asks whether to delete an application. */
export const showApplicationDeletion: ApplicationHandler = (_context, _request, response, application) =>
  sendView(response, 200, 'confirm', {
    heading: `Delete ${application.name}?`,
    text: 'Its client id, its secrets and every token that was issued with them end at once. This cannot be undone.',
    action: `${applicationPath(application)}delete/`,
    submit: 'Delete the application',
    back: applicationPath(application),
    danger: true,
  });

/** Deletes an application; its tokens end at once. */
export const deleteApplication: ApplicationHandler = async (context, _request, response, application) => {
  await removeApplication(context.db, application);
  context.invalidateCachedTokensOf(application.id);
  logApplicationEvent(context, 'Application deleted.', response, application);
  redirectWithNotice(response, APPLICATIONS_PATH, 'application_deleted');
};

function updateForm(application: Application) {
  return {
    heading: `Edit ${application.name}`,
    action: `${applicationPath(application)}update/`,
    back: applicationPath(application),
    submit: 'Save',
    version: versionOf(application),
  };
}
