/** Kinds of clients that register themselves, by whether any tenant takes them. */
export interface TakenClients {
  /** Described by a document. */
  readonly documents: boolean;
  /** Registered by a request (RFC 7591). */
  readonly registrations: boolean;
}
