import { Injectable } from '@nestjs/common';

/** ASVS 6.2.4: at least the 3000 commonest that meet the policy. */
const HOW_MANY = 3_000;

/**
 * The commonest passwords of the leaks, most common first, as zxcvbn ships them. Read when the first password is set:
 * the 49,000 words take some 25 ms and a few megabytes that a start, or a process that sets none, need not pay.
 */
@Injectable()
export class CommonPasswords {
  private readonly byLength = new Map<number, Promise<ReadonlySet<string>>>();

  /** Those of at least so many characters, in lower case: shorter ones cannot be set anyway. */
  atLeast(minimum: number): Promise<ReadonlySet<string>> {
    const known = this.byLength.get(minimum);
    if (known) return known;
    const read = readCommonest(minimum);
    this.byLength.set(minimum, read);
    // A failure is not kept: the next password tries again.
    read.catch(() => this.byLength.delete(minimum));
    return read;
  }
}

async function readCommonest(minimum: number): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const long = dictionary['passwords-common'].filter((password) => [...password].length >= minimum);
  return new Set(long.slice(0, HOW_MANY).map((password) => password.toLowerCase()));
}
