import { findOwnApplication, registerApplication } from '../accounts/applications.ts';
import { Problem } from '../domain/api/problem.ts';
import { newClientId } from '../domain/security/credentials.ts';
import {
  readApplicationForm,
  readClientId,
  sendApplicationForm,
  toApplicationChange,
  validateApplicationForm,
} from './application-form.ts';
import { sendSecret } from './application-secrets.ts';
import { applicationPath, logApplicationEvent } from './applications.ts';
import type { PageHandler } from './context.ts';
import { getSession } from './context.ts';
import { redirectAfterForm, redirectWithNotice } from './pages.ts';
import { APPLICATIONS_PATH } from './paths.ts';

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
  const given = { ...toApplicationChange(values), clientId };
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
