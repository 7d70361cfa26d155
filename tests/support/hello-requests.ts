import { constants, createCipheriv, createHmac } from 'node:crypto';
import { startRawTlsServer } from './raw-tls-server.ts';
import type { RawTlsServer } from './raw-tls-server.ts';

/** HelloRequests in a record: messages of four zero bytes, in one of the largest size. */
const RECORD_BYTES = 16_384;
const MASTER_KEY_LINE = /^CLIENT_RANDOM (\w{64}) (\w{96})/;
/** Where the server's random stands in the record of its ServerHello. */
const RANDOM = { from: 11, to: 43 };

/** A server of TLS 1.2 that answers the first request with so many records of HelloRequests, and with nothing else. */
export function startHelloRequestServer(
  certificate: { readonly cert: string; readonly key: string },
  records: number,
): Promise<RawTlsServer> {
  const options = {
    ...certificate,
    maxVersion: 'TLSv1.2',
    ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256',
    secureOptions: constants.SSL_OP_NO_TICKET,
  } as const;
  return startRawTlsServer(options, ({ tls, socket, sent }) => {
    let masterKey: RegExpExecArray | null = null;
    tls.on('keylog', (line: Buffer) => (masterKey ??= MASTER_KEY_LINE.exec(String(line))));
    tls.once('data', () => {
      const [, clientRandom = '', secret = ''] = masterKey ?? [];
      const randoms = [sent().subarray(RANDOM.from, RANDOM.to), Buffer.from(clientRandom, 'hex')];
      const keys = expandKeys(Buffer.from(secret, 'hex'), Buffer.concat(randoms));
      // The first record of each direction is the Finished message.
      for (let sequence = 1; sequence <= records; sequence += 1)
        socket.write(encryptHelloRequests(keys, sequence));
    });
  });
}

interface Keys {
  readonly key: Buffer;
  readonly salt: Buffer;
}

/** RFC 5246, 6.3: the keys of both sides and then their salts (RFC 5288); those of the server. */
function expandKeys(secret: Buffer, randoms: Buffer): Keys {
  const seed = Buffer.concat([Buffer.from('key expansion'), randoms]);
  const hmac = (data: Buffer): Buffer => createHmac('sha256', secret).update(data).digest();
  let a = hmac(seed);
  const parts: Buffer[] = [];
  while (parts.length < 2) {
    parts.push(hmac(Buffer.concat([a, seed])));
    a = hmac(a);
  }
  const block = Buffer.concat(parts);
  return { key: block.subarray(16, 32), salt: block.subarray(36, 40) };
}

/** A record of AES-128-GCM (RFC 5288, 3) of type 22, handshake, whose explicit nonce is its sequence number. */
function encryptHelloRequests({ key, salt }: Keys, sequence: number): Buffer {
  const nonce = Buffer.alloc(8);
  nonce.writeBigUInt64BE(BigInt(sequence));
  const header = (length: number): Buffer => Buffer.from([22, 3, 3, length >> 8, length & 255]);
  const cipher = createCipheriv('aes-128-gcm', key, Buffer.concat([salt, nonce]));
  cipher.setAAD(Buffer.concat([nonce, header(RECORD_BYTES)]));
  const encrypted = Buffer.concat([cipher.update(Buffer.alloc(RECORD_BYTES)), cipher.final()]);
  const tag = cipher.getAuthTag();
  return Buffer.concat([header(nonce.length + encrypted.length + tag.length), nonce, encrypted, tag]);
}
