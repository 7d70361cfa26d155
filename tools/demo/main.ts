// `make demo`: the main job of a partner, step by step, against a service of its own and a real HTTPS endpoint.
import { createCertificateAuthority, createServerCertificate } from './certificates.ts';
import { DemoClient } from './client.ts';
import { startReceiver } from './receiver.ts';
import type { DemoReceiver } from './receiver.ts';
import { startDemoService } from './service.ts';
import type { DemoService } from './service.ts';
import { DEMO_STEPS } from './steps.ts';
import type { Progress } from './steps.ts';

const startedAt = performance.now();
const interruption = new AbortController();
const interrupted = new Promise<never>((_resolve, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      interruption.abort();
      reject(new Error(signal));
    });
  }
});
interrupted.catch(() => undefined);

async function takeSteps(service: DemoService, receiver: DemoReceiver): Promise<void> {
  console.log(`Service at ${service.baseUrl}, webhook endpoint at ${receiver.url}\n`);
  const demo: Progress = {
    client: new DemoClient(service.baseUrl),
    receiver,
    clientId: service.clientId,
    clientSecret: service.clientSecret,
    org: service.orgId,
    jobId: '',
    simulationOrg: '',
    secret: '',
    deviceId: '',
    message: { owner_id: '' },
  };
  for (const [index, step] of DEMO_STEPS.entries()) {
    console.log(`${index + 1}. ${step.title}`);
    await Promise.race([step.run(demo), interrupted]);
    console.log('   confirmed\n');
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`All ${DEMO_STEPS.length} steps confirmed in ${seconds} s.`);
}

const authority = await createCertificateAuthority();
const receiver = await startReceiver(await createServerCertificate(authority, ['localhost']));
try {
  const service = await startDemoService({ ca: authority.ca, interrupted });
  try {
    await takeSteps(service, receiver);
  } finally {
    await service.stop();
  }
} catch (error) {
  // What an interrupted step still waits for is of no interest.
  if (interruption.signal.aborted) process.exit(130);
  console.error('   NOT as specified:', error);
  process.exitCode = 1;
} finally {
  receiver.close();
}
