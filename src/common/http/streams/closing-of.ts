import type { ServerResponse } from 'node:http';
import { Refusal } from '../../refusal.js';

/** No one reads it. */
export class ClientGone extends Refusal {
  constructor() {
    super('bad_request', 'The client closed the connection');
  }
}

/** Ends when the client has its answer, or has hung up: then it need not wait for a place any more. */
export function closingOf(response: Pick<ServerResponse, 'closed' | 'once'>): AbortSignal {
  if (response.closed) return AbortSignal.abort(new ClientGone());
  const closing = new AbortController();
  response.once('close', () => closing.abort(new ClientGone()));
  return closing.signal;
}
