import type { TotpSetup } from './second-factor.service.js';

/** What the set-up page shows: the QR code as an image, and the secret in groups of four for typing. */
export function setupModel({ secret, otpauthUri, qrSvg }: TotpSetup) {
  return {
    qr: `data:image/svg+xml;base64,${Buffer.from(qrSvg).toString('base64')}`,
    secret,
    secretGroups: secret.match(/.{1,4}/g) ?? [],
    otpauthUri,
  };
}

/** Backup codes as a list and as a text file to keep. */
export function backupCodesModel(codes: readonly string[], email: string) {
  const text = `Backup codes of ${email}\nEach works once.\n\n${codes.join('\n')}\n`;
  return { codes, codesText: codes.join('\n'), file: `data:text/plain;charset=utf-8,${encodeURIComponent(text)}` };
}
