import { once } from 'node:events';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { freePort } from './free-port.js';
import { eventually } from './wait.js';

export interface ReceivedMail extends ParsedMail {
  /** Recipients of the envelope: where it really goes. */
  readonly recipients: readonly string[];
  /** As it came over the wire. */
  readonly raw: string;
}

/** What the server says to a recipient; `hang` says nothing at all, `drop after data` takes the mail and hangs up. */
type Mood = 'accept' | 'hang' | 'drop after data' | { readonly code: number; readonly text: string };

/** A real SMTP server that can be moody. It keeps what it accepted, parsed. */
export class SmtpInbox {
  readonly url: string;
  readonly mails: ReceivedMail[] = [];
  /** Recipients that were offered to it, accepted or not. */
  readonly offered: string[] = [];
  private mood: Mood = 'accept';
  private held: { readonly address: RegExp; readonly waiting: (() => void)[] } | null = null;
  private server: SMTPServer | null = null;

  private constructor(private readonly port: number) {
    this.url = `smtp://127.0.0.1:${port}`;
  }

  static async start(): Promise<SmtpInbox> {
    const inbox = new SmtpInbox(await freePort());
    await inbox.listen();
    return inbox;
  }

  /** On the same port, also after {@link stop}. */
  async listen(): Promise<void> {
    this.server = new SMTPServer({
      authOptional: true,
      hideSTARTTLS: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      onRcptTo: ({ address }, _session, done) => {
        this.offered.push(address);
        if (this.held?.address.test(address)) return void this.held.waiting.push(() => done());
        if (this.mood === 'hang') return;
        if (this.mood === 'accept' || this.mood === 'drop after data') return done();
        done(Object.assign(new Error(this.mood.text), { responseCode: this.mood.code }));
      },
      onData: (stream, session, done) =>
        void this.keep(stream, session).then(() => (this.mood === 'drop after data' ? this.hangUp() : done()), done),
    });
    this.server.on('error', () => undefined); // clients that leave in the middle
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server.server, 'listening');
  }

  /** Connections are refused from here on. */
  async stop(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = null;
    await new Promise<void>((resolve) => server.close(resolve));
  }

  be(mood: Mood): void {
    this.mood = mood;
  }

  /** Says nothing to these recipients until it is released. @returns how many wait, and the release */
  hold(address: RegExp): { count: () => number; release: () => void } {
    const held = { address, waiting: [] as (() => void)[] };
    this.held = held;
    const release = (): void => {
      this.held = null;
      for (const go of held.waiting.splice(0)) go();
    };
    return { count: () => held.waiting.length, release };
  }

  to(address: string): ReceivedMail[] {
    return this.mails.filter((mail) => mail.recipients.includes(address));
  }

  /** The newest mail with this subject to the address, which must come; see {@link isAbout}. */
  next(address: string, subject: RegExp | string): Promise<ReceivedMail> {
    const matches = (mail: ReceivedMail) =>
      typeof subject === 'string' ? isAbout(mail, subject) : subject.test(mail.subject ?? '');
    return eventually(`a mail “${subject.toString()}” to ${address}`, () => this.to(address).findLast(matches));
  }

  private hangUp(): void {
    const { connections } = this.server as unknown as { connections: Set<{ _socket: { destroy(): void } }> };
    for (const { _socket: socket } of connections) socket.destroy();
  }

  private async keep(stream: SMTPServerDataStream, { envelope }: SMTPServerSession): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks);
    const recipients = envelope.rcptTo.map(({ address }) => address);
    this.mails.push({ ...(await simpleParser(raw)), recipients, raw: raw.toString('utf8') });
  }
}

/** Whether it has this subject. Mails about an app end theirs with its name, which need not be given. */
export function isAbout(mail: ParsedMail, subject: string): boolean {
  return mail.subject === subject || (mail.subject?.startsWith(`${subject} `) ?? false);
}

/** The one-time link of a mail: as printed, and its parts. */
export function linkIn(mail: ParsedMail): { url: string; path: string; token: string } {
  const url = /https?:\/\/\S+[?&]token=\S+/.exec(mail.text ?? '')?.[0];
  if (!url) throw new Error(`No link in: ${mail.text}`);
  const { pathname, search, searchParams } = new URL(url);
  return { url, path: `${pathname}${search}`, token: searchParams.get('token')! };
}
