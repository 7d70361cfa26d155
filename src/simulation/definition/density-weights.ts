/** From the `weights` text of a density raster to one byte for each cell (docs/simulation.md#density-raster). */
import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { FieldError } from '../../domain/api/problem.ts';

const BASE64 = /^([A-Za-z0-9+/_-]*)(={0,2})$/;

/** Bytes of base64 text, standard or URL-safe alphabet, padded or not; undefined when it is not base64. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const [whole, bare = '', padding = ''] = BASE64.exec(text) ?? [];
  if (whole === undefined || bare.length % 4 === 1) return undefined;
  if (padding !== '' && text.length % 4 !== 0) return undefined;
  return Buffer.from(bare, 'base64url');
}

/** Unpacks by the header: gzip (RFC 1952), zlib (RFC 1950), otherwise raw deflate (RFC 1951). */
function inflate(bytes: Uint8Array, cells: number): Uint8Array {
  // One chunk for all: others would be collected and then copied. zlib takes no smaller one.
  const options = { maxOutputLength: cells, chunkSize: Math.max(64, cells) };
  const [first = 0, second = 0] = bytes;
  if (first === 0x1f && second === 0x8b) return gunzipSync(bytes, options);
  if ((first & 0x0f) === 8 && first >> 4 <= 7 && (first * 256 + second) % 31 === 0) {
    try {
      return inflateSync(bytes, options);
    } catch (error) {
      if (isTooLong(error)) throw error;
      // Two bytes of a raw stream may look like a zlib header.
    }
  }
  return inflateRawSync(bytes, options);
}

function isTooLong(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

/** Cells in row-major order, north-west first, exactly `cells` of them, from their text. */
export function decodeDensityWeights(text: string, cells: number): Uint8Array | FieldError {
  const bytes = decodeBase64(text);
  if (bytes) return unpackDensityWeights(bytes, cells);
  return {
    pointer: '/density/weights',
    code: 'density_encoding',
    detail: 'weights must be Base64, standard or URL-safe alphabet.',
  };
}

/**
 * The same from what the text stands for: a byte for each cell, or these compressed. Output is capped, so that few bytes
 * cannot unfold into a large array.
 */
export function unpackDensityWeights(bytes: Uint8Array, cells: number): Uint8Array | FieldError {
  const pointer = '/density/weights';
  if (bytes.length === cells) return bytes;
  try {
    const unpacked = inflate(bytes, cells);
    if (unpacked.length === cells) return unpacked;
    return wrongSize(pointer, cells, `${bytes.length} bytes that unpack to ${unpacked.length}`);
  } catch (error) {
    const long = isTooLong(error);
    return wrongSize(
      pointer,
      cells,
      long
        ? `compressed data of more than ${cells} bytes`
        : `${bytes.length} bytes that are not compressed data`,
    );
  }
}

function wrongSize(pointer: string, cells: number, found: string): FieldError {
  return {
    pointer,
    code: 'density_size',
    detail: `rows times cols is ${cells}: send that many bytes, plain or packed with gzip, zlib or deflate; these are ${found}.`,
  };
}
