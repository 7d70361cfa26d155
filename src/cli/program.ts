import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { readSettings, SettingsError } from '../config/settings.ts';
import { formats } from '../domain/formats.ts';
import { createLog } from '../log/log.ts';
import type { ServeRole } from '../compose/service.ts';
import { createOrganizationCommand, issuePasswordCommand } from './accounts.ts';
import { UsageError } from './context.ts';
import type { CommandContext } from './context.ts';
import { migrateCommand } from './migrate.ts';
import { serve } from './serve.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Runs one command and resolves to the exit code. */
export async function runCommandLine(argv: readonly string[], environment: Environment): Promise<number> {
  let code = 0;
  const run = async (command: (context: CommandContext) => Promise<number>): Promise<void> => {
    const settings = readSettings(environment);
    code = await command({ settings, log: createLog(settings.logLevel) });
  };
  try {
    await describe(run).parseAsync([...argv]);
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof SettingsError) {
      console.error(`These settings are wrong:\n${error.message}`);
      return 2;
    }
    console.error(
      `partner: ${error instanceof UsageError || !(error instanceof Error) ? String(error) : messageOf(error)}`,
    );
    return 1;
  }
}

type Run = (command: (context: CommandContext) => Promise<number>) => Promise<void>;

function describe(run: Run): Command {
  const program = new Command('partner')
    .description(
      'The partner service: API, portal, webhook dispatcher and fleet simulator. Settings come from the environment; see README.md.',
    )
    .exitOverride()
    .showHelpAfterError();
  program
    .command('serve')
    .description('Run the service until it is told to stop (SIGTERM or SIGINT).')
    .addOption(
      new Option('--role <role>', 'which part to run').choices(['all', 'api', 'worker']).default('all'),
    )
    .action((options: { role: ServeRole }) => run((context) => serve(context, options.role)));
  program
    .command('migrate')
    .description("Bring the database's tables up to date, and say what was done.")
    .action(() => run(migrateCommand));
  program
    .command('org')
    .description('Organizations.')
    .command('create')
    .description(
      'Create a partner organization with its first admin and application; prints the credentials once.',
    )
    .requiredOption('--name <name>', 'name of the organization', nonEmpty)
    .requiredOption('--admin-email <email>', 'email address of its first admin', email)
    .option('--json', 'print one JSON object', false)
    .action((options: { name: string; adminEmail: string; json: boolean }) =>
      run((context) => createOrganizationCommand(context, options)),
    );
  program
    .command('user')
    .description('Users.')
    .command('password')
    .description(
      'Issue an initial password to a user, who must change it at the first login; prints it once.',
    )
    .argument('<email>', 'email address of the user', email)
    .requiredOption('--org <id>', "id of the user's organization", uuid)
    .option('--json', 'print one JSON object', false)
    .action((address: string, options: { org: string; json: boolean }) =>
      run((context) => issuePasswordCommand(context, address, options)),
    );
  return program;
}

function messageOf(error: Error): string {
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return error.message + cause;
}

function nonEmpty(text: string): string {
  if (text.trim() === '' || text.length > 255) throw new InvalidArgumentError('Give 1 to 255 characters.');
  return text.trim();
}

function email(text: string): string {
  if (formats['email']?.(text) !== true) throw new InvalidArgumentError('Give an email address.');
  return text;
}

function uuid(text: string): string {
  if (formats['uuid']?.(text) !== true) throw new InvalidArgumentError('Give a UUID.');
  return text.toLowerCase();
}
