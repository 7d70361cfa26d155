import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Router } from 'express';
import type { Response } from 'express';
import { setSecurityHeaders } from './headers.ts';

const MEDIA_TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
} as const;

/** Makes what sends these bytes to whoever asks for them. */
export type CreateSender = (
  type: string,
  bytes: Buffer,
  cacheControl: string,
) => (response: Response) => unknown;

const FOR_EVER = 'public, max-age=31536000, immutable';

/** A file that pages load, under a name that changes with its content, so that browsers may keep it for ever. */
export interface Asset {
  readonly path: string;
  readonly type: keyof typeof MEDIA_TYPES;
  readonly bytes: Buffer;
}

/** The asset `/assets/{name}.{hash}.{type}`. */
export function createAsset(name: string, type: Asset['type'], bytes: Buffer): Asset {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  return { path: `/assets/${name}.${hash}.${type}`, type, bytes };
}

/** The asset with the content of files, one behind the other. */
export function readAsset(name: string, type: Asset['type'], ...files: readonly string[]): Asset {
  return createAsset(name, type, Buffer.concat(files.map((file) => readFileSync(file))));
}

/** Serves assets to whoever knows their names; compressed, if it is given how. */
export function createAssetRoutes(
  assets: readonly Asset[],
  createSender: CreateSender = sendAsTheyAre,
): Router {
  const router = Router({ caseSensitive: true });
  for (const { path, type, bytes } of assets) {
    const send = createSender(MEDIA_TYPES[type], bytes, FOR_EVER);
    router.get(path, setSecurityHeaders, (_request, response) => send(response));
  }
  return router;
}

function sendAsTheyAre(type: string, bytes: Buffer, cacheControl: string): ReturnType<CreateSender> {
  return (response) => response.set('Cache-Control', cacheControl).type(type).send(bytes);
}
