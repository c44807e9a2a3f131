import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { smtpTransport } from '../../../src/mail/smtp-transport.rules.js';
import { MAIL_SERVER_CERTIFICATE, MAIL_SERVER_KEY } from '../../support/test-certificate.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** This machine under an address that is none of the loopback interface. */
const HOST = '0.0.0.0';
const SCRIPT = `
  import { createTransport } from 'nodemailer';
  import { smtpTransport } from './src/mail/smtp-transport.rules.ts';
  const transport = createTransport(smtpTransport(process.env.MAIL_URL));
  try {
    await transport.sendMail({ from: 'a@example.com', to: 'b@example.com', subject: 'Link', text: 'secret link' });
    console.log('sent');
  } catch (error) {
    console.log(error.code);
  }
  transport.close();`;

describe('Mail to a server beyond this machine', () => {
  let folder: string;
  let server: SMTPServer;
  /** What the server was told, and whether it came by TLS. */
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
    server.on('error', () => undefined); // clients that leave in the middle
    server.listen(0, HOST);
    await once(server.server, 'listening');
    return `smtp://mailer:hunter2@${HOST}:${(server.server.address() as AddressInfo).port}`;
  }

  /** In a process of its own: Node reads NODE_EXTRA_CA_CERTS at its start. */
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

  it('is not sent where the server has no STARTTLS, and the password never leaves', async () => {
    const url = await listen({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] });
    expect(await send(url)).toBe('ETLS');
    expect([heard, mails]).toEqual([[], 0]);
  });

  it('is sent by TLS where an attacker strips STARTTLS from the greeting and the server has it', async () => {
    const url = await listen({ hideSTARTTLS: true });
    expect(await send(url, { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') })).toBe('sent');
    expect([heard, mails]).toEqual([[{ password: 'hunter2', byTls: true }], 1]);
  });

  it('is sent by STARTTLS with a certificate of an authority in NODE_EXTRA_CA_CERTS', async () => {
    const url = await listen({});
    expect(await send(url, { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') })).toBe('sent');
    expect([heard, mails]).toEqual([[{ password: 'hunter2', byTls: true }], 1]);
  });

  it('is not sent to a certificate of an unknown authority', async () => {
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
  ])('of %s demands STARTTLS: %s, speaks TLS from the beginning: %s', (url, requireTLS, secure) => {
    expect(smtpTransport(url)).toMatchObject({ requireTLS, secure });
  });
});
