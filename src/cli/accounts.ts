import { createOrganization } from '../accounts/bootstrap.ts';
import { issueInitialPassword } from '../accounts/passwords.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './context.ts';
import { withStorage } from './storage.ts';

/** `partner org create`: prints the credentials of a new organization once. Resolves to the exit code. */
export function createOrganizationCommand(
  context: CommandContext,
  options: { readonly name: string; readonly adminEmail: string; readonly json: boolean },
): Promise<number> {
  return withStorage(context, async ({ db }) => {
    const made = await createOrganization(db, options, new Date());
    print(options.json, {
      org_id: made.orgId,
      admin_user_id: made.adminUserId,
      username: made.username,
      password: made.password.reveal(),
      client_id: made.clientId,
      client_secret: made.clientSecret.reveal(),
    });
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
    print(options.json, { username: issued.username, password: issued.password.reveal() });
  });
}

function print(asJson: boolean, values: Readonly<Record<string, string>>): void {
  if (asJson) {
    console.log(JSON.stringify(values));
    return;
  }
  for (const [name, value] of Object.entries(values)) console.log(`${name.padEnd(14)} ${value}`);
  console.log('Shown only now; the password must be changed at the first login.');
}
