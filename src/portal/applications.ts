import type { Request } from 'express';
import {
  changeApplication,
  findVisibleApplication,
  listVisibleApplications,
  removeApplication,
} from '../accounts/applications.ts';
import type { Application } from '../accounts/applications.ts';
import { isUuid } from '../domain/api/formats.ts';
import {
  GRANT_LABELS,
  readApplicationForm,
  sendApplicationForm,
  toGrantType,
  validateApplicationForm,
} from './application-form.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { readQueryParameter } from './forms.ts';
import { APPLICATIONS_PATH } from './guards.ts';
import { sendView } from '../html/render.ts';
import { findNoticeText, formatMinute, redirectAfterForm, sendNotFound } from './pages.ts';

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

/** The list of the applications that the person may see. */
export const showApplications: PageHandler = async ({ db }, request, response) => {
  sendView(response, 200, 'applications', {
    applications: await listVisibleApplications(db, getSession(response)),
    grantLabels: GRANT_LABELS,
    time: formatMinute,
    notice: findNoticeText(readQueryParameter(request, 'notice')),
    wide: true,
  });
};

/** One application; its secret cannot be shown. */
export const showApplication: ApplicationHandler = (_context, request, response, application) =>
  sendView(response, 200, 'application', {
    application,
    grantLabels: GRANT_LABELS,
    time: formatMinute,
    notice: findNoticeText(readQueryParameter(request, 'notice')),
  });

/** The form to change the name and the grant type of an application. */
export const showApplicationUpdate: ApplicationHandler = (_context, _request, response, application) =>
  sendApplicationForm(response, { ...updateForm(application), values: application, errors: {} });

/** Changes an application from the form: 303 to its page, or 422 with the form. */
export const updateApplication: ApplicationHandler = async (context, request, response, application) => {
  const values = readApplicationForm(request);
  const errors = validateApplicationForm(request, values);
  if (Object.keys(errors).length > 0) {
    sendApplicationForm(response, { ...updateForm(application), values, errors });
    return;
  }
  const change = { name: values.name, grantType: toGrantType(values) };
  await changeApplication(context.db, application, change, context.clock());
  logApplicationEvent(context, 'Application updated.', response, application);
  redirectAfterForm(response, `${applicationPath(application)}?notice=application_updated`);
};

/** Asks whether to delete an application. */
export const showApplicationDeletion: ApplicationHandler = (_context, _request, response, application) =>
  sendView(response, 200, 'confirm', {
    heading: `Delete ${application.name}?`,
    text: 'Its client id, its secret and every token that was issued with them end at once. This cannot be undone.',
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
  redirectAfterForm(response, `${APPLICATIONS_PATH}?notice=application_deleted`);
};

function updateForm(application: Application) {
  return {
    heading: `Edit ${application.name}`,
    action: `${applicationPath(application)}update/`,
    submit: 'Save',
  };
}
