// Receivers in a process of their own, so that their TLS does not count as ours. Started by bench/webhooks/world.ts with
// certificate and key; says its ports, then answers every request; asked for `report`, tells latencies.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

interface Setup {
  readonly cert: string;
  readonly key: string;
  readonly healthy: number;
  readonly dead: number;
}

process.once('message', (setup: Setup) => void start(setup));
process.once('disconnect', () => process.exit());

async function start({ cert, key, healthy, dead }: Setup): Promise<void> {
  let latencies: number[] = [];
  let connections = 0;
  const ports: number[] = [];
  for (let each = 0; each < healthy + dead; each += 1) {
    const isDead = each >= healthy;
    const server = createServer({ cert, key }, (request, response) => {
      const at = performance.timeOrigin + performance.now();
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (isDead) return;
        response.writeHead(204).end();
        const sentAt = /"sent_at":([\d.]+)/.exec(Buffer.concat(chunks).toString())?.[1];
        latencies.push(at - Number(sentAt ?? at));
      });
    });
    server.on('secureConnection', () => (connections += 1));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ports.push((server.address() as AddressInfo).port);
  }
  process.on('message', () => {
    process.send?.({ latencies, connections });
    latencies = [];
    connections = 0;
  });
  process.send?.({ ports });
}
