/** The only kind of assertion that authenticates a client (RFC 7523 section 2.2). */
export const CLIENT_ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
