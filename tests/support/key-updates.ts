import { createCipheriv, createHmac } from 'node:crypto';
import { startRawTlsServer } from './raw-tls-server.ts';
import type { RawTlsServer } from './raw-tls-server.ts';

const SECRET_LINE = /^SERVER_TRAFFIC_SECRET_0 \w{64} (\w{64})/;
/** What TLS itself sends under the first keys: two sessions and an interim response, a record each. */
const RECORDS_BEFORE = 3n;
const INTERIM_RESPONSE = 'HTTP/1.1 103 Early Hints\r\n\r\n';
/** RFC 8446, 4.6.3: the sender changes its keys, and asks for no change of the other's. */
const KEY_UPDATE = Buffer.from([24, 0, 0, 1, 0]);
const TYPES = { handshake: 22, application: 23 };

export interface KeyUpdateServer extends RawTlsServer {
  /** Resolves when the first connection is closed. */
  readonly closed: Promise<undefined>;
}

/** A server of TLS 1.3 that answers the first request so, and then changes its keys so many times, with one record each. */
export async function startKeyUpdateServer(
  certificate: { readonly cert: string; readonly key: string },
  { answer, updates }: { readonly answer: string; readonly updates: number },
): Promise<KeyUpdateServer> {
  const options = { ...certificate, minVersion: 'TLSv1.3', ciphers: 'TLS_AES_128_GCM_SHA256' } as const;
  const closed = Promise.withResolvers<undefined>();
  const server = await startRawTlsServer(options, ({ tls, socket }) => {
    socket.once('close', () => closed.resolve(undefined));
    let sender: Sender | undefined;
    tls.on('keylog', (line: Buffer) => {
      const [, secret] = SECRET_LINE.exec(String(line)) ?? [];
      if (secret !== undefined) sender = new Sender(Buffer.from(secret, 'hex'));
    });
    const respond = (): void => {
      if (answer !== '') socket.write(sender?.encrypt(TYPES.application, Buffer.from(answer)) ?? '');
      const changes = Array.from({ length: updates }, () => sender?.encryptKeyUpdate() ?? Buffer.alloc(0));
      socket.write(Buffer.concat(changes));
    };
    // Behind the sessions, so that the number of records is known.
    tls.once('data', () => tls.write(INTERIM_RESPONSE, respond));
  });
  return { ...server, closed: closed.promise };
}

/** What a side sends under its keys of AES-128-GCM, from the secret of its first ones on. */
class Sender {
  #secret: Buffer;
  #sequence = RECORDS_BEFORE;

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  /** A record (RFC 8446, 5.2) whose content has this type. */
  encrypt(type: number, content: Buffer): Buffer {
    const plain = Buffer.concat([content, Buffer.from([type])]);
    const header = Buffer.from([TYPES.application, 3, 3, 0, plain.length + 16]);
    const nonce = expandLabel(this.#secret, 'iv', 12);
    nonce.writeBigUInt64BE(nonce.readBigUInt64BE(4) ^ this.#sequence, 4);
    this.#sequence += 1n;
    const cipher = createCipheriv('aes-128-gcm', expandLabel(this.#secret, 'key', 16), nonce);
    cipher.setAAD(header);
    return Buffer.concat([header, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  encryptKeyUpdate(): Buffer {
    const record = this.encrypt(TYPES.handshake, KEY_UPDATE);
    this.#secret = expandLabel(this.#secret, 'traffic upd', 32);
    this.#sequence = 0n;
    return record;
  }
}

/** RFC 8446, 7.1: HKDF-Expand-Label without a context, of 32 bytes at most. */
function expandLabel(secret: Buffer, label: string, length: number): Buffer {
  const full = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Buffer.from([0, length, full.length]), full, Buffer.from([0, 1])]);
  return createHmac('sha256', secret).update(info).digest().subarray(0, length);
}
