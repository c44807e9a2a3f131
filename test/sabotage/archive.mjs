/** Archived apps: docs/decisions/0048. */
export default [
  {
    item: 'archive',
    control: 'an archived app is not switched on before it is restored',
    file: 'src/apps/changes/app-update.service.ts',
    out: 'if (input.is_active && app.archivedAt) throw new AppIsArchived();',
    into: 'void AppIsArchived;',
    tests: ['test/e2e/admin/app-archive.spec.ts'],
  },
  {
    item: 'archive',
    control: 'an archived app waits for no tenant to be switched on',
    file: 'src/apps/app/apps.repository.ts',
    out: 'isActive: false, offWithTenant: false });',
    into: 'isActive: false });',
    tests: ['test/e2e/admin/app-archive.spec.ts'],
  },
];
