import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates, type TLSSocket } from 'node:tls';
import { buildConnector, Pool } from 'undici';
import { hostOf } from '../domain/endpoint.ts';
import type { ResolvedAddress } from './destination.ts';

/** Response headers above this are a broken answer. */
const headerBytes = 16 * 1024;
const idleMs = 4_000;
/** How long one address of several is tried before the next. */
const addressAttemptMs = 1_000;

/** Connections to one host at one set of vetted addresses. */
export interface Connections {
  readonly pool: Pool;
  /** The address that the newest connection reached. */
  readonly lastAddress: () => string | undefined;
}

/**
 * Opens connections for one exchange's host that can reach only the given, already vetted addresses:
 * the name is not resolved again. TLS is always verified, against the host's name and the system's
 * authorities and `extraCa` (PEM).
 */
export function connectionOpener(
  extraCa: string | undefined,
  connectMs: number,
): (url: URL, addresses: readonly ResolvedAddress[]) => Connections {
  // One context for all connections: parsing the authorities anew would cost more than the handshake.
  const secureContext = createSecureContext({
    ca: [...getCACertificates('default'), ...(extraCa === undefined ? [] : [extraCa])],
  });
  return (url, addresses) => {
    const host = hostOf(url).replace(/\.$/, '');
    const connect = buildConnector({
      secureContext,
      rejectUnauthorized: true,
      timeout: connectMs,
      allowH2: false,
      lookup: pinnedLookup(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: addressAttemptMs,
    });
    let lastAddress: string | undefined;
    const pool = new Pool(url.origin, {
      allowH2: false,
      maxHeaderSize: headerBytes,
      keepAliveTimeout: idleMs,
      connect: (options, callback) => {
        const servername = isIP(host) > 0 ? '' : host;
        connect({ ...options, hostname: host, servername }, (...[error, socket]) => {
          if (error !== null) {
            callback(error, null);
            return;
          }
          lastAddress = (socket as TLSSocket).remoteAddress;
          callback(null, socket);
        });
      },
    });
    return { pool, lastAddress: () => lastAddress };
  };
}

function pinnedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else if (first === undefined) callback(new Error('There is no address to connect to.'), '');
    else callback(null, first.address, first.family);
  };
}
