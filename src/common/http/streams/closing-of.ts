import type { ServerResponse } from 'node:http';
import { Refusal } from '../../refusal.js';

/** Never sent: the client has disconnected. */
export class ClientGone extends Refusal {
  constructor() {
    super('bad_request', 'The client closed the connection');
  }
}

/** A signal that aborts when the client has its answer or has disconnected, so that nothing waits for it any more. */
export function closingOf(response: Pick<ServerResponse, 'closed' | 'once'>): AbortSignal {
  if (response.closed) return AbortSignal.abort(new ClientGone());
  const closing = new AbortController();
  response.once('close', () => closing.abort(new ClientGone()));
  return closing.signal;
}
