import { findApplicationByClientId, replaceApplicationSecrets } from '../accounts/applications.ts';
import { createOrganization } from '../accounts/bootstrap.ts';
import { issueInitialPassword } from '../accounts/passwords.ts';
import { resumePartner, suspendPartner } from '../accounts/suspension.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './context.ts';
import { withStorage } from './storage.ts';

const PASSWORD_NOTE = 'Shown only now; the password must be changed at the first login, within 72 hours.';
const SECRET_NOTE = 'Shown only now; the old secret is refused from now on.';

/** `partner org create`: prints the credentials of a new organization once. Resolves to the exit code. */
export function createOrganizationCommand(
  context: CommandContext,
  options: { readonly name: string; readonly adminEmail: string; readonly json: boolean },
): Promise<number> {
  return withStorage(context, async ({ db }) => {
    const made = await createOrganization(db, options, new Date());
    const values = {
      org_id: made.orgId,
      admin_user_id: made.adminUserId,
      username: made.username,
      password: made.password.reveal(),
      client_id: made.clientId,
      client_secret: made.clientSecret.reveal(),
    };
    print(options.json, values, PASSWORD_NOTE);
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
  return withStorage(context, async ({ db }) => {
    const issued = await issueInitialPassword(db, { orgId: options.org, email }, new Date());
    if (issued === undefined)
      throw new UsageError(`Organization ${options.org} has no user with the email ${email}.`);
    print(options.json, { username: issued.username, password: issued.password.reveal() }, PASSWORD_NOTE);
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
    const secret = application && (await replaceApplicationSecrets(db, application, new Date()));
    if (application === undefined || secret === undefined)
      throw new UsageError(`No application has the client id ${clientId}.`);
    print(
      options.json,
      { org_id: application.orgId, client_id: clientId, client_secret: secret },
      SECRET_NOTE,
    );
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

function print(asJson: boolean, values: Readonly<Record<string, string>>, note?: string): void {
  if (asJson) {
    console.log(JSON.stringify(values));
    return;
  }
  for (const [name, value] of Object.entries(values)) console.log(`${name.padEnd(14)} ${value}`);
  if (note !== undefined) console.log(note);
}
