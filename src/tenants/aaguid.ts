/** A model of authenticators (WebAuthn, section 6.5.2). Not every maker sets the version bits of a UUID (RFC 9562). */
export const AAGUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
