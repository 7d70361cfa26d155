import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';

/** What a name server says: addresses of both families, no such name, or nothing at all. */
export type NameAnswer = readonly string[] | 'unknown' | 'silence';

export interface NameServer {
  /** For NameOptions.servers. */
  readonly address: string;
  readonly asked: string[];
  answer: (name: string, family: 4 | 6) => NameAnswer;
  close(): Promise<void>;
}

/** A real name server on loopback (RFC 1035, UDP). */
export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const server: NameServer = {
    address: `127.0.0.1:${socket.address().port}`,
    asked: [],
    answer: () => 'unknown',
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
  socket.on('message', (question, { port, address }) => {
    const { name, family, end } = readQuestion(question);
    server.asked.push(`${name} ${family}`);
    const answer = server.answer(name, family);
    if (answer !== 'silence') socket.send(reply(question.subarray(0, end), family, answer), port, address);
  });
  return server;
}

function readQuestion(message: Buffer): { name: string; family: 4 | 6; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return {
    name: labels.join('.').toLowerCase(),
    family: message.readUInt16BE(at + 1) === 28 ? 6 : 4,
    end: at + 5,
  };
}

function reply(question: Buffer, family: 4 | 6, answer: readonly string[] | 'unknown'): Buffer {
  const header = Buffer.from(question);
  const addresses = answer === 'unknown' ? [] : answer.filter((each) => isIPv4(each) === (family === 4));
  header.writeUInt16BE(answer === 'unknown' ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.fill(0, 8, 12);
  const records = addresses.map((address) => {
    const data = family === 4 ? Buffer.from(address.split('.').map(Number)) : ipv6(address);
    const head = Buffer.from([0xc0, 12, 0, family === 4 ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, data.length]);
    return Buffer.concat([head, data]);
  });
  return Buffer.concat([header, ...records]);
}

function ipv6(address: string): Buffer {
  const [left = '', right] = address.split('::');
  const parts = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((part) => parseInt(part, 16));
  const head = parts(left);
  const tail = parts(right ?? '');
  const words = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
  return Buffer.from(words.flatMap((word) => [word >> 8, word & 255]));
}
