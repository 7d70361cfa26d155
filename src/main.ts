import { runCommandLine } from './cli/program.ts';

process.exitCode = await runCommandLine(process.argv, process.env);
