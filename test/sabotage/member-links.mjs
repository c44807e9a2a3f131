/** Links that administrators have e-mailed to members, the export of the audit log, and legal links. */
const LINKS = ['test/e2e/admin/member-links.spec.ts'];

export default [
  {
    item: 'member links',
    control: 'an administrator has links e-mailed only to members of an app that they administer',
    file: 'src/admin/users/mailed-links/link-recipients.ts',
    out: 'if (!enrollment) throw new EnrollmentNotFound();',
    into: 'if (!enrollment) return { user, client: (await this.directory.findOpen(app.id))! }; void EnrollmentNotFound;',
    tests: LINKS,
  },
  {
    item: 'member links',
    control: 'no link is e-mailed to a member who is suspended or waits for approval',
    file: 'src/admin/users/mailed-links/link-recipients.ts',
    out: "if (enrollment.status !== 'active') throw new ForbiddenTransition('Enrollment is not active');",
    into: 'void ForbiddenTransition;',
    tests: LINKS,
  },
  {
    item: 'member links',
    control: 'links that administrators have e-mailed to a member are limited',
    file: 'src/admin/users/mailed-links/member-links.service.ts',
    out: "await this.limits.consume('member_mail', keyOf(user.id, client.app.tenantId));",
    into: 'void keyOf;',
    tests: LINKS,
  },
  {
    item: 'own navigation',
    control: 'the export of the audit log is not begun by a link from elsewhere',
    file: 'src/console/audit/audit-export.controller.ts',
    out: 'if (!selection || !this.navigation.isFollowed(request))',
    into: 'if (!selection)',
    tests: ['test/e2e/admin/audit-export.spec.ts'],
  },
  {
    item: 'legal links',
    control: 'legal links are https addresses without user information',
    file: 'src/apps/settings/app-config.rules.ts',
    out: "if (url?.protocol === 'https:' && !url.username && !url.password) return null;",
    into: 'if (url) return null;',
    tests: ['test/e2e/console/apps/apps-settings.spec.ts'],
  },
];
