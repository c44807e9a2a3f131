/** Unpadded base64 as PHC strings carry it: standard alphabet, no stray bits at the end. Null for anything else. */
export function readBase64(text: string): Buffer | null {
  if (!/^[A-Za-z0-9+/]*$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64').replace(/={1,2}$/, '') === text ? bytes : null;
}

/** Passlib's variant: `.` instead of `+`. */
export function readAdaptedBase64(text: string): Buffer | null {
  return text.includes('+') ? null : readBase64(text.replaceAll('.', '+'));
}
