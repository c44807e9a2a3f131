import { Injectable } from '@nestjs/common';

/**
 * The commonest passwords of the leaks as @zxcvbn-ts/language-common (MIT) ships them, all that meet the policy: some
 * 18,000 of eight characters or more, where ASVS 6.2.4 wants 3,000. Read when the first password is set:
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
  return new Set(long.map((password) => password.toLowerCase()));
}
