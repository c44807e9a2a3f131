import { isLoopbackHost } from '../../config/loopback.rules.js';

const TIMEOUTS_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 15_000 };

/**
 * The options of nodemailer for an `smtp:` or `smtps:` URL. Nothing is sent unencrypted to other machines: with `smtp:`
 * the server must support STARTTLS (RFC 3207). Otherwise an attacker who removes it from the greeting could read the
 * password and all links.
 */
export function smtpTransport(address: string) {
  const url = new URL(address);
  const secure = url.protocol === 'smtps:';
  const auth = url.username
    ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
    : undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    pool: true as const,
    maxConnections: 5,
    ...TIMEOUTS_MS,
    host,
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    requireTLS: !secure && !isLoopbackHost(host),
    auth,
  };
}
