import type { Request } from 'express';
import { sha256Digest, newClientId, newClientSecret } from '../domain/security/credentials.ts';
import { formats } from '../domain/api/formats.ts';
import {
  deleteApplication,
  findApplication,
  findClient,
  insertApplication,
  listApplications,
  updateApplicationSecret,
  updateApplication,
} from '../queries/accounts/applications.ts';
import type { Application } from '../queries/accounts/applications.ts';
import { violatedConstraint } from '../queries/connection/database.ts';
import type { PortalSession } from '../queries/accounts/portal-sessions.ts';
import {
  validateApplicationForm,
  readApplicationForm,
  GRANT_LABELS,
  toGrantType,
} from './application-form.ts';
import type { ApplicationValues } from './application-form.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { encodeEnvironmentFile } from './environment-file.ts';
import { readFormField, readQueryParameter } from './forms.ts';
import type { FieldMessages } from './forms.ts';
import { APPLICATIONS_PATH } from './guards.ts';
import { findNoticeText, redirectAfterForm, sendNotFound, sendPortalPage, formatMinute } from './pages.ts';

type ApplicationPage = (
  request: Request,
  response: PortalResponse,
  application: Application,
) => Promise<void> | void;

const pathOf = (application: Application): string => `${APPLICATIONS_PATH}${application.id}/`;

/** Changes with every change of the application: a form sent again by a reload is known by it. */
const versionOf = (application: Application): string => String(application.updatedAt.getTime());

export function applicationPages({ db, clock, baseUrl, log, invalidateCachedTokensOf }: PortalContext) {
  const list: PageHandler = async (request, response) => {
    const session = getSession(response);
    const owner = session.role === 'admin' ? undefined : session.userId;
    sendPortalPage(response, 200, 'applications', {
      applications: await listApplications(db, session.orgId, owner),
      grantLabels: GRANT_LABELS,
      time: formatMinute,
      notice: findNoticeText(readQueryParameter(request, 'notice')),
      wide: true,
    });
  };

  const showRegister: PageHandler = (_request, response) =>
    sendRegister(response, 200, readApplicationForm(undefined), {}, newClientId());

  const register: PageHandler = async (request, response) => {
    const session = getSession(response);
    const values = readApplicationForm(request);
    const faults = validateApplicationForm(request, values);
    const clientId = clientIdOf(request);
    if (Object.keys(faults).length > 0) {
      sendRegister(response, 422, values, faults, clientId);
      return;
    }
    const secret = newClientSecret();
    const application = await insertOnce(session, values, clientId, secret);
    if (application === undefined) {
      await leadToRegistered(response, session, clientId);
      return;
    }
    tell('Application registered.', session, application);
    sendSecret(response, 'Application registered', application, secret);
  };

  const show: ApplicationPage = (request, response, application) =>
    sendPortalPage(response, 200, 'application', {
      application,
      grantLabels: GRANT_LABELS,
      time: formatMinute,
      notice: findNoticeText(readQueryParameter(request, 'notice')),
    });

  const showUpdate: ApplicationPage = (_request, response, application) =>
    sendUpdate(response, 200, application, { ...application }, {});

  const update: ApplicationPage = async (request, response, application) => {
    const session = getSession(response);
    const values = readApplicationForm(request);
    const faults = validateApplicationForm(request, values);
    if (Object.keys(faults).length > 0) {
      sendUpdate(response, 422, application, values, faults);
      return;
    }
    const change = { name: values.name, grantType: toGrantType(values) };
    await updateApplication(db, session.orgId, application.id, change, clock());
    tell('Application updated.', session, application);
    redirectAfterForm(response, `${pathOf(application)}?notice=application_updated`);
  };

  const showDelete: ApplicationPage = (_request, response, application) =>
    sendPortalPage(response, 200, 'confirm', {
      heading: `Delete ${application.name}?`,
      text: 'Its client id, its secret and every token that was issued with them end at once. This cannot be undone.',
      action: `${pathOf(application)}delete/`,
      submit: 'Delete the application',
      back: pathOf(application),
      danger: true,
    });

  const remove: ApplicationPage = async (_request, response, application) => {
    const session = getSession(response);
    await deleteApplication(db, session.orgId, application.id);
    invalidateCachedTokensOf(application.id);
    tell('Application deleted.', session, application);
    redirectAfterForm(response, `${APPLICATIONS_PATH}?notice=application_deleted`);
  };

  const showReplace: ApplicationPage = (_request, response, application) =>
    sendPortalPage(response, 200, 'confirm', {
      heading: `Replace the secret of ${application.name}?`,
      text: 'The old secret is refused from then on. Tokens that were issued with it stay valid until they expire. The new secret is shown once.',
      action: `${pathOf(application)}secret/`,
      version: versionOf(application),
      submit: 'Replace the secret',
      back: pathOf(application),
    });

  const replace: ApplicationPage = async (request, response, application) => {
    const session = getSession(response);
    const version = readFormField(request, 'version');
    if (version !== '' && version !== versionOf(application)) {
      redirectAfterForm(response, `${pathOf(application)}?notice=secret_unchanged`);
      return;
    }
    const secret = newClientSecret();
    if (!(await updateApplicationSecret(db, session.orgId, application.id, sha256Digest(secret), clock()))) {
      sendNotFound(response);
      return;
    }
    tell('Application secret replaced.', session, application);
    sendSecret(response, 'Secret replaced', application, secret);
  };

  /** Undefined when an application has this client id already: the form was sent before. */
  async function insertOnce(
    session: PortalSession,
    values: ApplicationValues,
    clientId: string,
    secret: string,
  ): Promise<Application | undefined> {
    const application = {
      orgId: session.orgId,
      ownerUserId: session.userId,
      name: values.name,
      clientId,
      secretHash: sha256Digest(secret),
      grantType: toGrantType(values),
    };
    try {
      return await insertApplication(db, application, clock());
    } catch (error) {
      if (violatedConstraint(error) === 'applications_client_id_key') return undefined;
      throw error;
    }
  }

  async function leadToRegistered(
    response: PortalResponse,
    session: PortalSession,
    clientId: string,
  ): Promise<void> {
    const application = (await findClient(db, clientId))?.application;
    const isOwn = application?.orgId === session.orgId && application.ownerUserId === session.userId;
    redirectAfterForm(response, isOwn ? `${pathOf(application)}?notice=secret_unchanged` : APPLICATIONS_PATH);
  }

  function sendRegister(
    response: PortalResponse,
    status: number,
    values: ApplicationValues,
    errors: FieldMessages,
    clientId: string,
  ): void {
    sendPortalPage(response, status, 'application-form', {
      heading: 'Register an application',
      action: `${APPLICATIONS_PATH}register/`,
      submit: 'Register',
      values,
      errors,
      grantLabels: GRANT_LABELS,
      clientId,
    });
  }

  function sendUpdate(
    response: PortalResponse,
    status: number,
    application: Application,
    values: ApplicationValues,
    errors: FieldMessages,
  ): void {
    sendPortalPage(response, status, 'application-form', {
      heading: `Edit ${application.name}`,
      action: `${pathOf(application)}update/`,
      submit: 'Save',
      values,
      errors,
      grantLabels: GRANT_LABELS,
    });
  }

  function sendSecret(
    response: PortalResponse,
    heading: string,
    application: Application,
    secret: string,
  ): void {
    sendPortalPage(response, 200, 'application-secret', {
      heading,
      application,
      secret,
      environment: encodeEnvironmentFile(baseUrl, application, secret),
    });
  }

  function tell(message: string, session: PortalSession, { id }: Application): void {
    log.info(message, { org_id: session.orgId, user_id: session.userId, application_id: id });
  }

  /** The application of the path, if the person may see it; of another organization or owner it is as missing. */
  const at =
    (page: ApplicationPage): PageHandler =>
    async (request, response) => {
      const session = getSession(response);
      const id = String(request.params['id']);
      const found = formats['uuid']?.(id) === true ? await findApplication(db, session.orgId, id) : undefined;
      const isVisible = session.role === 'admin' || found?.ownerUserId === session.userId;
      if (found === undefined || !isVisible) sendNotFound(response);
      else await page(request, response, found);
    };

  return {
    list,
    showRegister,
    register,
    show: at(show),
    showUpdate: at(showUpdate),
    update: at(update),
    showDelete: at(showDelete),
    remove: at(remove),
    showReplace: at(showReplace),
    replace: at(replace),
  };
}

/** The client id that the form was opened with, so that the same form cannot register twice. */
function clientIdOf(request: Request): string {
  const given = readFormField(request, 'client_id');
  return /^[A-Za-z0-9]{40}$/.test(given) ? given : newClientId();
}
