// Controls of the mail log: who sees it, what can be sent again, how often; see scripts/sabotage.mjs.
const LOG = ['test/e2e/admin/mail-log.spec.ts'];

export default [
  {
    item: 'mail log',
    control: 'the mail log is cut to the apps that the reader administers',
    file: 'src/database/newest-in-scope.ts',
    out: 'if (everything) return newest(rows, []);',
    into: 'if (everything || appIds.length > 0) return newest(rows, []);',
    tests: LOG,
  },
  {
    item: 'mail log',
    control: 'a mail outside the authority of the caller cannot be sent again',
    file: 'src/mail/mail-log.query.ts',
    out: 'const covered = `(${bind(everything)} OR',
    into: 'const covered = `(true OR ${bind(everything)} OR',
    tests: LOG,
  },
  {
    item: 'mail log',
    control: 'mails about an account to a user who is no member of the app are hidden from its administrators',
    file: 'src/enrollment/account-mails.ts',
    out: 'app: sender?.app ?? null',
    into: 'app: client?.app ?? null',
    tests: LOG,
  },
  {
    item: 'mail log',
    control: 'invites by e-mail are limited by address, also those that are sent again',
    file: 'src/invites/invite-mail.ts',
    out: "await this.limits.consume('member_mail', foldedEmail(invite.email!));",
    into: 'void foldedEmail;',
    tests: [...LOG, 'test/e2e/ways-in/invite-limits.spec.ts'],
  },
  {
    item: 'mail log',
    control: 'invites by e-mail are limited by tenant',
    file: 'src/invites/invite-mail.ts',
    out: "await this.limits.consume('invite_mail', app.tenantId);",
    into: '',
    tests: ['test/e2e/ways-in/invite-limits.spec.ts'],
  },
  {
    item: 'mail log',
    control: 'an invite into a Console app is sent again after a recent sign-in only',
    file: 'src/auth/access/recent-sign-in.service.ts',
    out: 'mail && (await this.mails.find(WHOLE_SCOPE, mail))?.appId,',
    into: 'null && (await this.mails.find(WHOLE_SCOPE, mail!))?.appId,',
    tests: ['test/e2e/admin/recent-sign-in.spec.ts'],
  },
  {
    item: 'mail log',
    control: 'mails are removed from the log after their time',
    file: 'src/mail/mail-log-purge.ts',
    out: 'this.settings.mailLogDays, BATCH',
    into: 'this.settings.mailLogDays + 60, BATCH',
    tests: LOG,
  },
];
