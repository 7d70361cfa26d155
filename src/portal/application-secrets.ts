import { addApplicationSecret, endOlderApplicationSecret, hasOlderSecret } from '../accounts/applications.ts';
import type { Application } from '../accounts/applications.ts';
import { DAY_MS } from '../domain/api/durations.ts';
import { applicationPath, logApplicationEvent, versionOf, withApplication } from './applications.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { encodeEnvironmentFile } from './environment-file.ts';
import { readVersion } from './form-versions.ts';
import { readFormField } from './forms.ts';
import { sendView } from '../html/render.ts';
import { redirectWithNotice } from './pages.ts';
import { formatMinute } from './times.ts';

/** The days for which the present secret may go on working beside a new one. */
const OLDER_ENDS: Readonly<Record<string, string>> = {
  0: 'At once',
  1: 'In 1 day',
  7: 'In 7 days',
  30: 'In 30 days',
};
const PRESELECTED_DAYS = '1';

type Secret = Pick<Application['secret'], 'lastUsedAt'>;

/** Asks when the present secret is to end. Of an application with two that work, the older one has to be ended first. */
export const showSecretCreation = withApplication((context, _request, response, application) => {
  sendCreationForm(context, response, application);
});

function sendCreationForm(
  { clock }: PortalContext,
  response: PortalResponse,
  application: Application,
  error?: string,
): void {
  const path = applicationPath(application);
  const isFull = hasOlderSecret(application, clock());
  sendView(response, error === undefined ? 200 : 422, 'application-secret-form', {
    heading: `A new secret for ${application.name}`,
    action: `${path}secret/`,
    back: path,
    version: versionOf(application),
    endPath: isFull ? `${path}secret/end/` : undefined,
    field: {
      name: 'older_ends',
      label: 'The secret that is used now ends',
      value: PRESELECTED_DAYS,
      choices: OLDER_ENDS,
      hint: 'Until then both work: nothing is refused while you change the secret where it is used. You can end it earlier.',
      error,
    },
  });
}

/** Makes a secret beside the present one and shows it once; nothing when the application is another one than the page has shown. */
export const createSecretFromForm = withApplication(async (context, request, response, application) => {
  const days = readFormField(request, 'older_ends') || PRESELECTED_DAYS;
  const isCurrent = readVersion(request) === versionOf(application);
  const now = context.clock();
  const isFull = isCurrent && hasOlderSecret(application, now);
  if (isFull || !Object.hasOwn(OLDER_ENDS, days)) {
    const error = isFull ? 'Two secrets work already; end the older one first.' : 'Choose one of these.';
    sendCreationForm(context, response, application, error);
    return;
  }
  const olderEndsAt = new Date(now.getTime() + Number(days) * DAY_MS);
  const secret = isCurrent
    ? await addApplicationSecret(context.db, application, olderEndsAt, now)
    : undefined;
  if (secret === undefined) {
    redirectWithNotice(response, applicationPath(application), 'secret_stale');
    return;
  }
  logApplicationEvent(context, 'Application secret made.', response, application);
  sendSecret(context, response, 'New secret made', application, secret);
});

/** Asks whether to end the older secret. */
export const showSecretEnd = withApplication(({ clock }, _request, response, application) => {
  const path = applicationPath(application);
  const { olderSecret } = application;
  if (olderSecret === null || !hasOlderSecret(application, clock())) {
    redirectWithNotice(response, path, 'secret_ended');
    return;
  }
  sendView(response, 200, 'confirm', {
    heading: `End the older secret of ${application.name}?`,
    text: `${describeUses(application.secret, olderSecret)} Once ended, it is refused at once, whoever still uses it. Tokens that were issued with it stay valid until they expire. This cannot be undone.`,
    action: `${path}secret/end/`,
    version: versionOf(application),
    submit: 'End the older secret',
    back: path,
    danger: true,
  });
});

/** When each of the two was last used. One that was never used is probably not where the older one is. */
function describeUses(newer: Secret, older: Secret): string {
  const lastUse =
    older.lastUsedAt === null
      ? 'It was never used.'
      : `It was last used at ${formatMinute(older.lastUsedAt)} UTC.`;
  return newer.lastUsedAt === null
    ? `${lastUse} The newer secret was never used so far: put it in the place of the older one first, or what uses that one is refused.`
    : `${lastUse} The newer one was last used at ${formatMinute(newer.lastUsedAt)} UTC.`;
}

/** Ends the older secret at once; nothing when the application is another one than the page has shown. */
export const endSecretFromForm = withApplication(async (context, request, response, application) => {
  const isCurrent = readVersion(request) === versionOf(application);
  const isEnded = isCurrent && (await endOlderApplicationSecret(context.db, application, context.clock()));
  if (isEnded) {
    // It takes no turn of its partner any more.
    context.invalidateCachedTokensOf(application.id);
    logApplicationEvent(context, 'Older application secret ended.', response, application);
  }
  redirectWithNotice(response, applicationPath(application), isEnded ? 'secret_ended' : 'application_stale');
});

/** Shows a secret, which no page does again. */
export function sendSecret(
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
