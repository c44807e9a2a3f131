import { Injectable } from '@nestjs/common';
import { ProviderFault } from './provider-fault.js';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1 << 20;

/**
 * Every call to a provider uses this client: at most ten seconds including the body, no redirects, and at most 1 MiB
 * (after decompression). The URLs come from the settings, never from a request.
 */
@Injectable()
export class ProviderHttp {
  /**
   * Like the global `fetch`, but the body has already been read.
   * @throws ProviderFault
   */
  readonly fetch = async (address: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
    const where = typeof address === 'string' ? address : 'url' in address ? address.url : address.href;
    try {
      const response = await fetch(address, { ...init, redirect: 'manual', signal });
      if (response.status >= 300 && response.status < 400) throw new ProviderFault(`${where} redirects`);
      const body = await readBounded(response, where);
      return new Response(body, { status: response.status, headers: withoutEncoding(response.headers) });
    } catch (error) {
      if (error instanceof ProviderFault) throw error;
      throw new ProviderFault(`${where} cannot be reached: ${(error as Error).message}`, error);
    }
  };
}

async function readBounded(response: Response, where: string): Promise<Buffer | null> {
  if (!response.body || response.status === 204) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    // Leaving the loop cancels the stream, which also closes the connection.
    if (size > MAX_BYTES) throw new ProviderFault(`${where} answers more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Removes the headers that describe a compressed body, because the body is decompressed here. */
function withoutEncoding(headers: Headers): Headers {
  const plain = new Headers(headers);
  plain.delete('content-encoding');
  plain.delete('content-length');
  return plain;
}
