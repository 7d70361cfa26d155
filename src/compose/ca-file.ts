import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

const CERTIFICATE_PATTERN = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----[^-]*(?:-----END \1-----)?/g;

/**
 * The text of WEBHOOK_CA_FILE: one or more certificates in PEM.
 * @throws an Error that names the setting when the file cannot be read, or holds none, or one that is damaged.
 */
export function readCaFile(file: string): string {
  const text = readText(file);
  const certificates = text.match(CERTIFICATE_PATTERN) ?? [];
  if (certificates.length === 0)
    throw new Error(`WEBHOOK_CA_FILE ${file} holds no certificate in PEM (-----BEGIN CERTIFICATE-----).`);
  for (const [index, certificate] of certificates.entries()) {
    try {
      new X509Certificate(certificate);
    } catch (cause) {
      throw new Error(`Certificate ${index + 1} of WEBHOOK_CA_FILE ${file} is damaged.`, { cause });
    }
  }
  return text;
}

function readText(file: string): string {
  try {
    // A pipe or device may never end.
    if (!statSync(file).isFile()) throw new Error('It is no regular file.');
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`WEBHOOK_CA_FILE ${file} cannot be read.`, { cause });
  }
}
