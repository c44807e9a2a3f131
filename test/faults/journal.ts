import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/** What an answer has promised. */
export type Promised =
  /** A refresh token, and the one that it replaced. */
  | { readonly kind: 'token'; readonly token: string; readonly parent?: string }
  | { readonly kind: 'revoked'; readonly token: string }
  | { readonly kind: 'user'; readonly id: string }
  | { readonly kind: 'name'; readonly id: string; readonly name: string }
  | { readonly kind: 'mail'; readonly address: string }
  | { readonly kind: 'notification'; readonly id: string };

export type JournalEntry = Promised & { readonly at: number };

/** Keeps each acknowledged answer on disk before the next request is sent: the rig itself may be killed, too. */
export class Journal {
  private readonly file: number;

  constructor(private readonly path: string) {
    this.file = openSync(path, 'a');
  }

  write(promised: Promised): void {
    writeSync(this.file, `${JSON.stringify({ ...promised, at: Date.now() })}\n`);
    fdatasyncSync(this.file);
  }

  entries(): JournalEntry[] {
    return readFileSync(this.path, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as JournalEntry);
  }

  close(): void {
    closeSync(this.file);
  }
}
