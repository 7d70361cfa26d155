// `make demo`: the main job of a partner, step by step, against a service of its own and a real HTTPS endpoint.
import { certificateAuthority, serverCertificate } from './certificates.ts';
import { DemoClient } from './client.ts';
import { startReceiver } from './receiver.ts';
import { startDemoService } from './service.ts';
import { steps } from './steps.ts';
import type { Progress } from './steps.ts';

const startedAt = performance.now();
const authority = await certificateAuthority();
const receiver = await startReceiver(await serverCertificate(authority, ['localhost']));
const service = await startDemoService(authority.ca);
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
try {
  for (const [index, step] of steps.entries()) {
    console.log(`${index + 1}. ${step.title}`);
    await step.run(demo);
    console.log('   confirmed\n');
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`All ${steps.length} steps confirmed in ${seconds} s.`);
} catch (error) {
  console.error('   NOT as specified:', error);
  process.exitCode = 1;
} finally {
  receiver.close();
  await service.stop();
}
