import { findApplicationByClientId, replaceApplicationSecrets } from '../accounts/applications.ts';
import { createOrganization } from '../accounts/bootstrap.ts';
import type { FirstCredentials } from '../accounts/bootstrap.ts';
import { issueInitialPassword } from '../accounts/passwords.ts';
import type { InitialPassword } from '../accounts/passwords.ts';
import { resumePartner, suspendPartner } from '../accounts/suspension.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './context.ts';
import { printForCertain } from './outputs.ts';
import { withStorage } from './storage.ts';

const PASSWORD_NOTE = 'Shown only now; the password must be changed at the first login, within 72 hours.';
const SECRET_NOTE = 'Shown only now; the old secret is refused from now on.';

/** `partner org create`: prints the credentials of a new organization once. Resolves to the exit code. */
export function createOrganizationCommand(
  context: CommandContext,
  options: { readonly name: string; readonly adminEmail: string; readonly json: boolean },
): Promise<number> {
  const show = (made: FirstCredentials): void => {
    const values = {
      org_id: made.orgId,
      admin_user_id: made.adminUserId,
      username: made.username,
      password: made.password.reveal(),
      client_id: made.clientId,
      client_secret: made.clientSecret.reveal(),
    };
    showOnce(options.json, values, PASSWORD_NOTE);
  };
  return withStorage(context, async ({ db }) => {
    await createOrganization(db, options, new Date(), show);
  });
}

/**
 * `partner user password`: prints a new initial password once. Throws UsageError when the organization has no such
 * user.
 */
export function issuePasswordCommand(
  context: CommandContext,
  email: string,
  options: { readonly org: string; readonly json: boolean },
): Promise<number> {
  const show = ({ username, password }: InitialPassword): void =>
    showOnce(options.json, { username, password: password.reveal() }, PASSWORD_NOTE);
  return withStorage(context, async ({ db }) => {
    const user = { orgId: options.org, email };
    const issued = await issueInitialPassword(db, user, new Date(), undefined, show);
    if (issued === undefined)
      throw new UsageError(`Organization ${options.org} has no user with the email ${email}.`);
  });
}

/** `partner application secret`: prints a new secret once. Throws UsageError when no application has this client id. */
export function replaceSecretCommand(
  context: CommandContext,
  clientId: string,
  options: { readonly json: boolean },
): Promise<number> {
  return withStorage(context, async ({ db }) => {
    const application = await findApplicationByClientId(db, clientId);
    if (application === undefined) throw noApplicationError(clientId);
    const show = (secret: string): void => {
      const values = { org_id: application.orgId, client_id: clientId, client_secret: secret };
      showOnce(options.json, values, SECRET_NOTE);
    };
    const isReplaced = await replaceApplicationSecrets(db, application, new Date(), show);
    if (!isReplaced) throw noApplicationError(clientId);
  });
}

/** `partner org suspend`. Throws UsageError when it is not the id of a partner. */
export function suspendCommand(
  context: CommandContext,
  orgId: string,
  options: { readonly json: boolean },
): Promise<number> {
  return withStorage(context, async ({ db }) => {
    if (!(await suspendPartner(db, orgId, new Date()))) throw noPartnerError(orgId);
    print(options.json, { org_id: orgId, state: 'suspended' });
  });
}

/** `partner org resume`. Throws UsageError when it is not the id of a partner. */
export function resumeCommand(
  context: CommandContext,
  orgId: string,
  options: { readonly json: boolean },
): Promise<number> {
  return withStorage(context, async ({ db }) => {
    if (!(await resumePartner(db, orgId))) throw noPartnerError(orgId);
    print(options.json, { org_id: orgId, state: 'active' });
  });
}

function noPartnerError(orgId: string): UsageError {
  return new UsageError(`No partner has the id ${orgId}; that of a simulation organization is not taken.`);
}

function noApplicationError(clientId: string): UsageError {
  return new UsageError(`No application has the client id ${clientId}.`);
}

/** What the caller is shown only once: before it is stored. */
function showOnce(asJson: boolean, values: Readonly<Record<string, string>>, note: string): void {
  printForCertain(asJson ? JSON.stringify(values) : `${format(values)}\n${note}`);
}

function print(asJson: boolean, values: Readonly<Record<string, string>>): void {
  console.log(asJson ? JSON.stringify(values) : format(values));
}

function format(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name.padEnd(14)} ${value}`)
    .join('\n');
}
