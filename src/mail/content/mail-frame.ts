/** Policy of a mail that is shown in a frame: its own styles and images, and nothing that loads or runs. */
export const MAIL_FRAME_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/** Content id of the logo, which is an attachment (RFC 2392). */
export const LOGO_CONTENT_ID = 'logo@identity-broker';

/** Replaces the reference to the attachment, for a browser. @param logo a `data:` image */
export function withLogoInside(html: string, logo: string | null): string {
  return logo ? html.replaceAll(`cid:${LOGO_CONTENT_ID}`, logo) : html;
}
