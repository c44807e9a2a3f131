import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { smtpTransport } from '../../../src/mail/sending/smtp-transport.rules.js';
import { MAIL_SERVER_CERTIFICATE, MAIL_SERVER_KEY } from '../../support/test-certificate.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** This machine, under an address that is not a loopback address. */
const HOST = '0.0.0.0';
const SCRIPT = `
  import { createTransport } from 'nodemailer';
  import { smtpTransport } from './src/mail/sending/smtp-transport.rules.ts';
  const transport = createTransport(smtpTransport(process.env.MAIL_URL));
  try {
    await transport.sendMail({ from: 'a@example.com', to: 'b@example.com', subject: 'Link', text: 'secret link' });
    console.log('sent');
  } catch (error) {
    console.log(error.code);
  }
  transport.close();`;

describe('Mail to a remote SMTP server', () => {
  let folder: string;
  let server: SMTPServer;
  /** The passwords that the server received, and whether they came over TLS. */
  let heard: { password: string; byTls: boolean }[];
  let mails: number;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mail-tls-'));
    writeFileSync(join(folder, 'ca.pem'), MAIL_SERVER_CERTIFICATE);
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  afterEach(() => new Promise<void>((resolve) => server.close(resolve)));

  async function listen(options: SMTPServerOptions): Promise<string> {
    heard = [];
    mails = 0;
    server = new SMTPServer({
      key: MAIL_SERVER_KEY,
      cert: MAIL_SERVER_CERTIFICATE,
      allowInsecureAuth: true,
      disableReverseLookup: true,
      onAuth: ({ password }, { secure }, done) => {
        heard.push({ password: password!, byTls: secure });
        done(null, { user: 'mailer' });
      },
      onData: (stream, _session, done) => {
        mails++;
        stream.resume();
        stream.on('end', () => done());
      },
      ...options,
    });
    server.on('error', () => undefined); // clients that close the connection early
    server.listen(0, HOST);
    await once(server.server, 'listening');
    return `smtp://mailer:hunter2@${HOST}:${(server.server.address() as AddressInfo).port}`;
  }

  /** In a separate process: Node reads NODE_EXTRA_CA_CERTS at its start. */
  function send(url: string, env: Record<string, string> = {}): Promise<string> {
    const args = ['--import', './scripts/typescript.mjs', '--input-type=module', '--eval', SCRIPT];
    return new Promise((resolve, reject) => {
      execFile(
        process.execPath,
        args,
        { cwd: ROOT, env: { PATH: process.env['PATH'], MAIL_URL: url, ...env } },
        (error, stdout) => (error ? reject(error as Error) : resolve(stdout.trim())),
      );
    });
  }

  it('is not sent and discloses no password if the server has no STARTTLS', async () => {
    const url = await listen({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] });
    expect(await send(url)).toBe('ETLS');
    expect([heard, mails]).toEqual([[], 0]);
  });

  it('is sent over TLS if an attacker strips STARTTLS from the greeting but the server supports it', async () => {
    const url = await listen({ hideSTARTTLS: true });
    expect(await send(url, { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') })).toBe('sent');
    expect([heard, mails]).toEqual([[{ password: 'hunter2', byTls: true }], 1]);
  });

  it('is sent over STARTTLS with a certificate authority in NODE_EXTRA_CA_CERTS', async () => {
    const url = await listen({});
    expect(await send(url, { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') })).toBe('sent');
    expect([heard, mails]).toEqual([[{ password: 'hunter2', byTls: true }], 1]);
  });

  it('is not sent if the certificate’s authority is unknown', async () => {
    const url = await listen({});
    expect(await send(url)).not.toBe('sent');
    expect([heard, mails]).toEqual([[], 0]);
  });
});

describe('smtpTransport', () => {
  it.each([
    ['smtp://mail.example.com', true, false],
    ['smtp://10.0.0.7:25', true, false],
    ['smtp://[2001:db8::1]', true, false],
    ['smtps://mail.example.com', false, true],
    ['smtp://localhost:1025', false, false],
    ['smtp://127.0.0.1:1025', false, false],
    ['smtp://[::1]:1025', false, false],
  ])('for %s sets requireTLS to %s and secure to %s', (url, requireTLS, secure) => {
    expect(smtpTransport(url)).toMatchObject({ requireTLS, secure });
  });
});
