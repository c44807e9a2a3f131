/** A host name in lower case, with port 8443 or without a port (443); `*`: every host. */
export const CLIENT_DOCUMENT_HOST =
  /^(?:\*|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*(?::8443)?)$/;

/** Whether a tenant accepts clients whose metadata document is on this host. */
export function acceptsDocumentsOf(hosts: readonly string[], host: string): boolean {
  return hosts.includes('*') || hosts.includes(host);
}
