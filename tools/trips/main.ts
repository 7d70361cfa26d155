// `node tools/trips/main.ts [ROOT] [--files] [--calls NAME]`: which source files one request runs through, by V8's
// coverage of the running service of the checkout ROOT (this one when left out). Each journey is made four times: the
// first fills caches, and a file counts when the other three all ran through it, which leaves out most of what
// background loops do meanwhile. `--calls` also prints how often functions of that name were called in the last one.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createCertificateAuthority, createServerCertificate } from '../demo/certificates.ts';
import { startReceiver } from '../demo/receiver.ts';
import { startDemoService } from '../demo/service.ts';
import { ApiCaller } from './api-caller.ts';
import { CalledFunctions } from './coverage.ts';
import { createWorld, journeys } from './journeys.ts';

const { values, positionals } = parseArgs({
  options: { files: { type: 'boolean', default: false }, calls: { type: 'string' } },
  allowPositionals: true,
});
const root = resolve(positionals[0] ?? `${import.meta.dirname}/../..`);
const MEASURED_RUNS = 3;

type Calls = ReadonlyMap<string, ReadonlyMap<string, number>>;

function report(name: string, runs: readonly Calls[]): void {
  const [last = new Map<string, ReadonlyMap<string, number>>()] = runs.slice(-1);
  const files = [...last.keys()]
    .filter((path) => path.startsWith(`${root}/src/`) && runs.every((run) => run.has(path)))
    .sort();
  const functions = files.flatMap((file) => [...(last.get(file)?.entries() ?? [])]);
  const folders = new Set(files.map((file) => file.slice(0, file.lastIndexOf('/'))));
  console.log(`${name}: ${files.length} files, ${functions.length} functions, ${folders.size} folders`);
  if (values.files) for (const file of files) console.log(`  ${file.slice(root.length + 1)}`);
  for (const [called, count] of functions)
    if (called === values.calls) console.log(`  ${called}: ${count} calls`);
}

const authority = await createCertificateAuthority();
const receiver = await startReceiver(await createServerCertificate(authority, ['localhost']));
const env = { NODE_OPTIONS: '--inspect=127.0.0.1:0', SIMULATOR_FAULTS: 'off' };
const service = await startDemoService({ ca: authority.ca, root, env });
const [, inspectorUrl = ''] = /Debugger listening on (ws:\S+)/.exec(service.log()) ?? [];
const coverage = await CalledFunctions.connect(inspectorUrl);
try {
  const api = await ApiCaller.withToken(service.baseUrl, service.clientId, service.clientSecret);
  const world = await createWorld(api, receiver, service.orgId);
  for (const { name, run } of journeys) {
    await run(world);
    await coverage.take();
    const runs: Calls[] = [];
    while (runs.length < MEASURED_RUNS) {
      await run(world);
      runs.push(await coverage.take());
    }
    report(name, runs);
  }
} finally {
  coverage.close();
  await service.stop();
  receiver.close();
}
