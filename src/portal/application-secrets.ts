import {
  findOwnApplication,
  registerApplication,
  replaceApplicationSecret,
} from '../accounts/applications.ts';
import type { Application } from '../accounts/applications.ts';
import { Problem } from '../domain/api/problem.ts';
import { newClientId } from '../domain/security/credentials.ts';
import {
  readApplicationForm,
  readClientId,
  sendApplicationForm,
  toGrantType,
  validateApplicationForm,
} from './application-form.ts';
import { applicationPath, logApplicationEvent, versionOf, withApplication } from './applications.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { encodeEnvironmentFile } from './environment-file.ts';
import { readFormField } from './forms.ts';
import { APPLICATIONS_PATH } from './paths.ts';
import { sendView } from '../html/render.ts';
import { redirectAfterForm, redirectWithNotice, sendNotFound } from './pages.ts';

const REGISTRATION_FORM = {
  heading: 'Register an application',
  action: `${APPLICATIONS_PATH}register/`,
  back: APPLICATIONS_PATH,
  submit: 'Register',
};

/** The empty form to register an application. */
export const showApplicationRegistration: PageHandler = (_context, _request, response) => {
  const values = readApplicationForm(undefined);
  sendApplicationForm(response, { ...REGISTRATION_FORM, values, errors: {}, clientId: newClientId() });
};

/** Registers an application and shows its secret once. A form that was sent before leads to what it made. */
export const registerFromForm: PageHandler = async (context, request, response) => {
  const { db, clock } = context;
  const session = getSession(response);
  const values = readApplicationForm(request);
  const errors = validateApplicationForm(request, values);
  const clientId = readClientId(request);
  if (Object.keys(errors).length > 0) {
    sendApplicationForm(response, { ...REGISTRATION_FORM, values, errors, clientId });
    return;
  }
  const given = { name: values.name, grantType: toGrantType(values), clientId };
  const registered = await registerWithinQuota(
    () => registerApplication(db, session, given, context.quotas, clock()),
    (reason) =>
      sendApplicationForm(response, { ...REGISTRATION_FORM, values, errors: { form: reason }, clientId }),
  );
  if (registered === 'refused') return;
  if (registered === undefined) {
    const before = await findOwnApplication(db, session, clientId);
    if (before === undefined) redirectAfterForm(response, APPLICATIONS_PATH);
    else redirectWithNotice(response, applicationPath(before), 'secret_unchanged');
    return;
  }
  logApplicationEvent(context, 'Application registered.', response, registered.application);
  sendSecret(context, response, 'Application registered', registered.application, registered.secret);
};

/** What `register` resolves to; or `refused`, when the quota of applications is reached, after the form has said so. */
async function registerWithinQuota<T>(
  register: () => Promise<T>,
  sayWhy: (reason: string) => void,
): Promise<T | 'refused'> {
  try {
    return await register();
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'quota_reached')) throw error;
    sayWhy(error.message);
    return 'refused';
  }
}

/** Asks whether to replace the secret of an application. */
export const showSecretReplacement = withApplication((_context, _request, response, application) =>
  sendView(response, 200, 'confirm', {
    heading: `Replace the secret of ${application.name}?`,
    text: 'The old secret is refused from then on. Tokens that were issued with it stay valid until they expire. The new secret is shown once.',
    action: `${applicationPath(application)}secret/`,
    version: versionOf(application),
    submit: 'Replace the secret',
    back: applicationPath(application),
  }),
);

/** Replaces the secret and shows the new one once. A form that was sent before changes nothing. */
export const submitClientSecretReplacement = withApplication(
  async (context, request, response, application) => {
    const version = readFormField(request, 'version');
    if (version !== versionOf(application)) {
      redirectWithNotice(response, applicationPath(application), 'secret_unchanged');
      return;
    }
    const secret = await replaceApplicationSecret(context.db, application, context.clock());
    if (secret === undefined) {
      sendNotFound(response);
      return;
    }
    logApplicationEvent(context, 'Application secret replaced.', response, application);
    sendSecret(context, response, 'Secret replaced', application, secret);
  },
);

function sendSecret(
  { baseUrl }: PortalContext,
  response: PortalResponse,
  heading: string,
  application: Application,
  secret: string,
): void {
  sendView(response, 200, 'application-secret', {
    heading,
    application,
    secret,
    environment: encodeEnvironmentFile(baseUrl, application, secret),
  });
}
