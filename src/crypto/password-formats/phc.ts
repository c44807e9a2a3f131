import { readBase64 } from './base64.js';

/** The parts of a PHC string, `$<id>[$v=<n>]$<name>=<n>,…$<salt>$<hash>`; parameters are decimal numbers. */
export interface PhcString {
  readonly id: string;
  readonly version: number | null;
  readonly parameters: ReadonlyMap<string, number>;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const PHC = /^\$([a-z0-9-]{1,32})(?:\$v=(\d{1,10}))?\$([a-z0-9=,-]{1,100})\$([^$]{1,100})\$([^$]{1,200})$/;

export function readPhc(text: string): PhcString | null {
  const match = PHC.exec(text);
  if (!match) return null;
  const [, id, version, pairs, saltText, hashText] = match;
  const parameters = new Map<string, number>();
  for (const pair of pairs!.split(',')) {
    const [, name, value] = /^([a-z]{1,8})=(0|[1-9]\d{0,9})$/.exec(pair) ?? [];
    if (name === undefined || parameters.has(name)) return null;
    parameters.set(name, Number(value));
  }
  const [salt, hash] = [readBase64(saltText!), readBase64(hashText!)];
  if (!salt || !hash) return null;
  return { id: id!, version: version === undefined ? null : Number(version), parameters, salt, hash };
}

/** Whether the string has exactly these parameters. */
export function hasOnly(phc: PhcString, required: readonly string[], optional: readonly string[] = []): boolean {
  const known = new Set([...required, ...optional]);
  return (
    required.every((name) => phc.parameters.has(name)) && [...phc.parameters.keys()].every((name) => known.has(name))
  );
}
