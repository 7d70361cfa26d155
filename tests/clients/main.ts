// `make clients`: each generator makes a client from the published document, the strictest compiler takes it, and the main journey
// of a partner passes with it against a real service. Exits 1 where one does not, and where the type of a schema has `any` or
// `unknown`.
import { createCertificateAuthority, createServerCertificate } from '../../tools/demo/certificates.ts';
import { startReceiver } from '../../tools/demo/receiver.ts';
import { startDemoService } from '../../tools/demo/service.ts';
import { GENERATORS } from './generators.ts';
import { printTrials } from './report.ts';
import type { Trial } from './trial.ts';
import { tryGenerator } from './trial.ts';

const [only] = process.argv.slice(2);
const chosen = GENERATORS.filter(({ name }) => only === undefined || name === only);
if (chosen.length === 0) throw new Error(`There is no generator ${String(only)}.`);

const authority = await createCertificateAuthority();
const receiver = await startReceiver(await createServerCertificate(authority, ['localhost']));
const service = await startDemoService({ ca: authority.ca });
const trials: Trial[] = [];
try {
  for (const generator of chosen)
    trials.push(await tryGenerator(generator, { ...service, endpoint: receiver.url }));
} finally {
  await service.stop();
  receiver.close();
}
printTrials(trials);
const isRight = ({ failure, types }: Trial): boolean => failure === undefined && types?.loose.size === 0;
process.exitCode = trials.every(isRight) ? 0 : 1;
