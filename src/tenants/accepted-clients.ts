/** For each way to register: whether any tenant accepts such clients. */
export interface AcceptedClients {
  /** Clients with a metadata document. */
  readonly documents: boolean;
  /** Clients that register by a request (RFC 7591). */
  readonly registrations: boolean;
}
