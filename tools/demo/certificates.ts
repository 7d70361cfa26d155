import { generate } from 'selfsigned';

export interface Authority {
  /** PEM, for WEBHOOK_CA_FILE. */
  readonly ca: string;
  readonly caKey: string;
}

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority of its own: nothing on the machine trusts it. */
export async function createCertificateAuthority(): Promise<Authority> {
  const made = await generate([{ name: 'commonName', value: 'Authority on this machine' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { ca: made.cert, caKey: made.private };
}

/** A server certificate for these names and addresses, signed by the authority. */
export async function createServerCertificate(
  authority: Authority,
  names: readonly string[],
  addresses: readonly string[] = [],
): Promise<Certificate> {
  const altNames = [
    ...names.map((value) => ({ type: 2 as const, value })),
    ...addresses.map((ip) => ({ type: 7 as const, ip })),
  ];
  const made = await generate([{ name: 'commonName', value: names[0] ?? 'receiver' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ca: { cert: authority.ca, key: authority.caKey },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames },
    ],
  });
  return { cert: made.cert, key: made.private };
}
