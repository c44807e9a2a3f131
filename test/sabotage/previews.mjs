// A preview says what sign-in does, and nothing that the caller may not know.
const PREDICTION = 'test/e2e/previews/prediction.spec.ts';
const PREVIEWS = 'test/e2e/previews/previews.spec.ts';

export default [
  {
    item: 'previews',
    control: 'a rule that is added to sign-in only is noticed',
    file: 'src/auth/entry/sign-in-completion.service.ts',
    out: 'return { verdict: judgeEntry(facts), roles };',
    into: "return { verdict: amr.includes('email') && roles.length > 1 ? 'suspended' : judgeEntry(facts), roles };",
    tests: [PREDICTION],
  },
  {
    item: 'previews',
    control: 'a Console app is judged by the strictest tenant in a preview, too',
    file: 'src/previews/entrant-of-row.ts',
    out: 'if (!client?.tenant.isActive) return [];',
    into: 'return [];',
    tests: [PREVIEWS],
  },
  {
    item: 'previews',
    control: 'a preview is refused as the update is',
    file: 'src/apps/app-update.service.ts',
    out: 'const before = changeable(ctx, await this.apps.find(id), input);',
    into: 'const before = (await this.apps.find(id))!;',
    tests: [PREVIEWS],
  },
  {
    item: 'previews',
    control: 'operators confirm that they lock themselves out',
    file: 'src/console/previews/change-review.ts',
    out: "const isConfirmed = !preview.locksYouOut || fields['lock_me_out'] === 'on';",
    into: 'const isConfirmed = true;',
    tests: [PREVIEWS],
  },
  {
    item: 'previews',
    control: 'the page is shown again when the effect has changed',
    file: 'src/console/previews/change-review.ts',
    out: "const isSeen = fields['reviewed'] === reviewed;",
    into: "const isSeen = fields['reviewed'] !== undefined;",
    tests: [PREVIEWS],
  },
];
