import { Command, CommanderError, Option } from 'commander';
import { readSettings, SettingsError } from '../config/settings.ts';
import { createLog } from '../log/log.ts';
import type { ServeOptions } from './serve.ts';
import { describeAccounts } from './account-commands.ts';
import { parseSigningSecret, parseUuid, parseWebAddress } from './arguments.ts';
import type { Run } from './context.ts';
import type { ListenOptions } from './listen.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Runs one command and resolves to the exit code. Only the command that runs is loaded. */
export async function runCommandLine(argv: readonly string[], environment: Environment): Promise<number> {
  let code = 0;
  const run: Run = async (command) => {
    const settings = readSettings(environment);
    code = await command({ settings, log: createLog(settings.logLevel) });
  };
  const runAlone: RunAlone = async (command) => {
    code = await command();
  };
  try {
    await buildProgram(run, runAlone).parseAsync([...argv]);
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof SettingsError) {
      console.error(`These settings are wrong:\n${error.message}`);
      return 2;
    }
    console.error(`partner: ${error instanceof Error ? messageOf(error) : String(error)}`);
    return 1;
  }
}

/** For commands that are a client of the service and read none of its settings. */
type RunAlone = (command: () => Promise<number>) => Promise<void>;

function buildProgram(run: Run, runAlone: RunAlone): Command {
  const program = new Command('partner')
    .description(
      'The partner service: API, portal, webhook dispatcher and fleet simulator. Settings come from the environment; see README.md.',
    )
    .exitOverride()
    .showHelpAfterError();
  program
    .command('serve')
    .description('Run the service until it is told to stop (SIGTERM, SIGINT or SIGHUP).')
    .addOption(
      new Option('--role <role>', 'which part to run').choices(['all', 'api', 'worker']).default('all'),
    )
    .option(
      '--print-credentials',
      'print the first credentials also with DATABASE_URL and where the output is no terminal',
    )
    .action((options: ServeOptions) =>
      run(async (context) => (await import('./serve.ts')).serveCommand(context, options)),
    );
  program
    .command('migrate')
    .description("Bring the database's tables up to date, and say what was done.")
    .action(() => run(async (context) => (await import('./migrate.ts')).migrateCommand(context)));
  describeAccounts(program, run);
  describeKeys(program, run);
  describeListen(program, runAlone);
  return program;
}

function describeKeys(program: Command, run: Run): void {
  const keys = program.command('keys').description('Encryption keys.');
  keys
    .command('rotate')
    .description(
      'Encrypt every webhook secret with ENCRYPTION_KEY that ENCRYPTION_KEY_PREVIOUS still decrypts, while services run; again it does nothing.',
    )
    .action(() => run(async (context) => (await import('./keys.ts')).rotateKeysCommand(context)));
  keys
    .command('lost')
    .description(
      'Give up what keys that nobody has any more, and no process runs with, have encrypted, so that `serve` starts without them. Deliveries to their webhooks fail until partners rotate the secrets.',
    )
    .argument('<ids...>', 'ids of keys, as `serve` names them when it refuses to start')
    .action((ids: string[]) =>
      run(async (context) => (await import('./keys.ts')).lostKeysCommand(context, ids)),
    );
}

function describeListen(program: Command, runAlone: RunAlone): void {
  program
    .command('listen')
    .description(
      "Forward an organization's messages to an address on this machine, signed like deliveries, until told to stop (SIGTERM or SIGINT).",
    )
    .requiredOption(
      '--forward-to <url>',
      'http or https address that gets a POST for each message',
      parseWebAddress,
    )
    .addOption(requiredOption('--org <id>', 'id of the organization', 'ORG_ID').argParser(parseUuid))
    .addOption(
      new Option('--base-url <url>', 'address of the service')
        .env('BASE_URL')
        .default('http://localhost:8080')
        .argParser(parseWebAddress),
    )
    .addOption(requiredOption('--client-id <id>', 'client id of an application of an admin', 'CLIENT_ID'))
    .addOption(
      requiredOption('--client-secret <secret>', 'its secret; better given by the variable', 'CLIENT_SECRET'),
    )
    .option('--after <message_id>', 'begin behind this message instead of with the next one', parseUuid)
    .option('--secret <secret>', 'sign with this secret (whsec_…) instead of a fresh one', parseSigningSecret)
    .addHelpText(
      'after',
      '\nEnds with 0 when told to stop, 2 on wrong usage, 1 when the service refuses or cannot be reached at first.',
    )
    .action((options: ListenOptions) =>
      runAlone(async () => (await import('./listen.ts')).listenCommand(options)),
    );
}

function requiredOption(flags: string, description: string, variable: string): Option {
  return new Option(flags, description).env(variable).makeOptionMandatory();
}

function messageOf(error: Error): string {
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return error.message + cause;
}
