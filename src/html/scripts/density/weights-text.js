// The weights of a density as the API takes them: a byte for each cell, compressed by gzip, in base64 for URLs, which forms need not
// escape (docs/simulation.md, "Density raster").

const CHUNK = 1_048_576;
const GZIP = [0x1f, 0x8b];

/** Packs weights; between its parts others may run. */
export async function encodeWeights(weights) {
  let at = 0;
  const chunks = new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve));
      const part = weights.slice(at, at + CHUNK);
      at += CHUNK;
      if (part.length === 0) controller.close();
      else controller.enqueue(part);
    },
  });
  const packed = await new Response(chunks.pipeThrough(new CompressionStream('gzip'))).arrayBuffer();
  return toBase64Url(new Uint8Array(packed));
}

/** The weights of so many cells from their text; undefined when it does not hold them. */
export async function decodeWeights(text, cells) {
  const bytes = fromBase64(text);
  if (bytes === undefined || bytes.length === cells) return bytes;
  const isGzip = GZIP.every((byte, at) => bytes[at] === byte);
  for (const format of isGzip ? ['gzip'] : ['deflate', 'deflate-raw']) {
    const weights = await inflate(bytes, format, cells);
    if (weights !== undefined) return weights;
  }
  return undefined;
}

/** Reads no more than was announced, since few bytes can unfold into many. */
async function inflate(bytes, format, cells) {
  const weights = new Uint8Array(cells);
  let at = 0;
  try {
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format)).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (at + part.value.length > cells) {
        await reader.cancel();
        return undefined;
      }
      weights.set(part.value, at);
      at += part.value.length;
    }
  } catch {
    return undefined;
  }
  return at === cells ? weights : undefined;
}

function toBase64Url(bytes) {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8_192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64(text) {
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) =>
      each.charCodeAt(0),
    );
  } catch {
    return undefined;
  }
}
