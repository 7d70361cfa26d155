import type { Command } from 'commander';
import {
  parseEmailAddress,
  parseOrganizationName,
  parsePageCursor,
  parsePageLimit,
  parseQuotaChange,
  parseUuid,
} from './arguments.ts';
import { QUOTA_NAMES } from '../domain/api/quotas.ts';
import type { Run } from './context.ts';
import type { ListOptions } from './newest-lists.ts';
import type { QuotaChanges } from './quotas.ts';

/** Adds the commands about organizations, users, applications and sign-up requests. */
export function describeAccounts(program: Command, run: Run): void {
  const org = program.command('org').description('Organizations.');
  describeOrganizations(org, run);
  describeSuspension(org, run);
  describeQuotas(org, run);
  describeUsers(program.command('user').description('Users.'), run);
  describeApplications(program.command('application').description('Applications.'), run);
  describeSignupRequests(program.command('signup').description('Sign-up requests.'), run);
}

function describeOrganizations(org: Command, run: Run): void {
  org
    .command('create')
    .description(
      'Create a partner organization with its first admin and application; prints the credentials once.',
    )
    .requiredOption('--name <name>', 'name of the organization', parseOrganizationName)
    .requiredOption('--admin-email <email>', 'email address of its first admin', parseEmailAddress)
    .option('--json', 'print one JSON object', false)
    .action((options: { name: string; adminEmail: string; json: boolean }) =>
      run(async (context) => (await import('./accounts.ts')).createOrganizationCommand(context, options)),
    );
  describeList(
    org,
    'Print the partners with the ids of their organizations, newest first.',
    'partners',
  ).action((options: ListOptions) =>
    run(async (context) => (await import('./newest-lists.ts')).listPartnersCommand(context, options)),
  );
}

function describeSuspension(org: Command, run: Run): void {
  org
    .command('suspend')
    .description(
      'Stop a partner with its simulation organizations within a second: its tokens are refused (403 organization_suspended), its people cannot sign in, and their sessions rest as its deliveries and fleets do. Nothing is deleted.',
    )
    .argument('<id>', "id of the partner's organization", parseUuid)
    .option('--json', 'print one JSON object', false)
    .action((id: string, options: { json: boolean }) =>
      run(async (context) => (await import('./accounts.ts')).suspendCommand(context, id, options)),
    );
  org
    .command('resume')
    .description('Let a suspended partner go on where it stopped.')
    .argument('<id>', "id of the partner's organization", parseUuid)
    .option('--json', 'print one JSON object', false)
    .action((id: string, options: { json: boolean }) =>
      run(async (context) => (await import('./accounts.ts')).resumeCommand(context, id, options)),
    );
}

function describeApplications(application: Command, run: Run): void {
  application
    .command('secret')
    .description(
      'Replace the secret of an application and print the new one once. The old secret is refused from then on; tokens that it has obtained stay valid until they expire.',
    )
    .argument('<client_id>', 'client id of the application')
    .option('--json', 'print one JSON object', false)
    .action((clientId: string, options: { json: boolean }) =>
      run(async (context) =>
        (await import('./accounts.ts')).replaceSecretCommand(context, clientId, options),
      ),
    );
}

function describeQuotas(org: Command, run: Run): void {
  org
    .command('quota')
    .description('Print the quotas of a partner with what it has, after setting those that are named.')
    .argument('<id>', 'id of the partner organization', parseUuid)
    .argument(
      '[changes...]',
      'NAME=NUMBER sets a quota (a whole number of 12 digits at most), NAME=default gives it back to the QUOTAS setting',
      parseQuotaChange,
    )
    .option('--json', 'print one JSON object: quota (null: unlimited), own and used by name', false)
    .addHelpText('after', `\nNames: ${QUOTA_NAMES.join(', ')}.`)
    .action((id: string, changes: QuotaChanges, { json }: { json: boolean }) =>
      run(async (context) =>
        (await import('./quotas.ts')).changeQuotasCommand(context, id, { changes, json }),
      ),
    );
}

function describeUsers(user: Command, run: Run): void {
  user
    .command('password')
    .description(
      'Issue an initial password to a user, who must change it at the first login; prints it once.',
    )
    .argument('<email>', 'email address of the user', parseEmailAddress)
    .requiredOption('--org <id>', "id of the user's organization", parseUuid)
    .option('--json', 'print one JSON object', false)
    .action((address: string, options: { org: string; json: boolean }) =>
      run(async (context) => (await import('./accounts.ts')).issuePasswordCommand(context, address, options)),
    );
}

function describeSignupRequests(signup: Command, run: Run): void {
  describeList(
    signup,
    'Print the sign-up requests with their invite tokens, newest first.',
    'requests',
  ).action((options: ListOptions) =>
    run(async (context) => (await import('./newest-lists.ts')).listSignupRequestsCommand(context, options)),
  );
}

function describeList(parent: Command, description: string, what: string): Command {
  return parent
    .command('list')
    .description(description)
    .option('--limit <number>', `${what} to print, 1 to 1000`, parsePageLimit, 50)
    .option('--after <cursor>', 'begin behind the page that has printed this cursor', parsePageCursor)
    .option('--json', 'print one JSON object: items, and next for --after', false);
}
