/** Models of console views in which every text is hostile: for views.spec.ts. */
export function contentViews(X: string) {
  const columns = [{ label: X, className: X, href: X, sorted: X }];
  const when = { words: X, iso: X, utc: X };
  const piece = [
    { text: X, hit: true },
    { text: X, hit: false },
  ];
  const choices = [{ value: X, label: X, isChosen: true }];
  const appChoices = [{ label: X, options: choices }];
  const badges = [{ text: X, tone: X }];
  const head = {
    person: { id: X, name: X, email: X, badges, lastLogin: when, since: when, isSelf: false },
    tabs: [{ label: X, href: X, isCurrent: true }],
    base: X,
    isPlatform: true,
  };
  const article = { href: X, title: X, summary: X };
  const person = { userId: X, name: X, email: X, href: X };
  const requestRow = {
    pick: X,
    name: X,
    email: X,
    isUnverified: true,
    isOff: true,
    memberUrl: X,
    appName: X,
    appUrl: X,
    tenantName: X,
    message: X,
    excerpt: X,
    asked: when,
    approveUrl: X,
    denyUrl: X,
  };
  const taskFacts = { state: badges[0], by: X, actingAs: X, begun: when, ended: when };
  return {
    'mails/list': { list: mailList(X), appSearch: X, isSearchable: true, errors: [] },
    'users/mails': {
      ...head,
      list: { ...mailList(X), isWhole: false, mails: [], firstUrl: null },
    },
    'requests/list': {
      columns,
      requests: [requestRow, { ...requestRow, excerpt: null }],
      app: X,
      q: X,
      isFiltered: true,
      apps: appChoices,
      appSearch: X,
      isSearchable: true,
      allAction: X,
      sizes: [{ label: X, href: X, isCurrent: false }],
      firstUrl: X,
      nextUrl: X,
    },
    'tasks/list': {
      columns,
      tasks: [{ title: X, href: X, state: badges[0], done: X, made: when }],
      pager: { page: 2, previousUrl: X, nextUrl: X, words: X, sizes: [{ label: X, href: X, isCurrent: false }] },
    },
    'tasks/plan': {
      heading: X,
      lead: X,
      button: X,
      isDanger: true,
      cancelUrl: X,
      people: [person],
      more: 2,
      startUrl: X,
    },
    'tasks/progress': { heading: X, ...taskFacts, ended: null, url: X, words: X, bar: { value: 1, max: 2 } },
    'tasks/secrets': { apps: [{ id: X, name: X, secret: X }], back: { label: X, href: X } },
    'tasks/end': {
      heading: X,
      ...taskFacts,
      back: { label: X, href: X },
      isDone: false,
      doneWords: X,
      problemLines: [X],
      doneBefore: X,
      secretsUrl: X,
      gone: 1,
      failed: 2,
      columns,
      failures: [
        { userId: X, why: X, person },
        { userId: X, why: X, person: null },
      ],
      more: 2,
    },
    'help/index': {
      text: X,
      matches: [{ href: X, category: X, title: piece, excerpt: piece }],
      popular: [article],
      categories: [{ slug: X, title: X, articles: [article] }],
    },
    'help/article': {
      heading: X,
      html: X,
      path: X,
      apps: [{ id: X, name: X, isChosen: true }],
      showsApps: true,
      isSearchable: true,
      appSearch: X,
      previous: article,
      next: article,
    },
    'users/list': {
      columns,
      q: X,
      app: X,
      bulk: { action: X, from: X, q: X, status: X, allLabel: X, acts: choices },
      isFiltered: true,
      mayCreate: true,
      apps: appChoices,
      appSearch: X,
      isSearchable: true,
      states: choices,
      exportUrl: X,
      users: [{ id: X, name: X, email: X, badges, apps: X, secondFactor: X, lastLogin: when, since: when }],
      pager: { page: 2, previousUrl: X, nextUrl: X, words: X, sizes: [{ label: X, href: X, isCurrent: false }] },
    },
    'users/new': {
      email: X,
      displayName: X,
      isPlatform: true,
      isVerified: true,
      apps: appChoices,
      appFinder: { action: X, search: X },
      errors: [{ field: 'email', message: X }],
    },
    'users/overview': {
      ...head,
      enrollable: true,
      enrollments: ['isActive', 'isPending', 'isSuspended'].map((state) => ({
        appId: X,
        appName: X,
        tenantName: X,
        roles: X,
        text: X,
        tone: X,
        lastLogin: when,
        mayChange: true,
        isActive: false,
        isPending: false,
        asksToApprove: false,
        isSuspended: false,
        hasRoles: true,
        isSelf: false,
        isVerified: false,
        hasActions: true,
        [state]: true,
      })),
      linked: [{ label: X, mark: 'mark-google', email: X, since: when }],
      secondFactorSince: when,
    },
    'users/access': {
      ...head,
      apps: appChoices,
      appSearch: X,
      isSearchable: true,
      appName: X,
      allowed: false,
      blocked: [
        { label: X, text: X, tone: X, explanation: X, fix: { label: X, url: X, isForm: true } },
        { label: X, text: X, tone: X, explanation: X, fix: { label: X, url: X, isForm: false } },
      ],
      info: [{ label: X, text: X, tone: X, explanation: X, fix: null }],
      passed: [{ label: X, text: X, tone: X, explanation: X }],
    },
    'users/sessions': {
      ...head,
      browsers: [{ id: X, what: X, detail: X, ip: X, since: when, lastUsed: when }],
      signIns: [{ id: X, what: X, detail: X, since: when }],
      devices: [{ what: X, appName: X, lastSeen: when }],
    },
    'users/timeline': {
      ...head,
      days: [
        {
          label: X,
          entries: [
            {
              ...{ text: X, parts: [{ text: X, isName: true, href: X }], tone: X, at: when, count: 14, where: X },
              ...{ userAgent: X, action: X, requestId: X },
            },
          ],
        },
      ],
      filters: [{ label: X, href: X, isCurrent: true }],
      isFiltered: true,
      olderUrl: X,
    },
    'users/account': {
      ...head,
      limits: [{ what: X, label: X, count: 2, left: X }],
      typedName: X,
      noPasskeys: X,
      passkeys: [{ id: X, what: X, since: when, lastUsed: null }],
      hasSecondFactor: true,
      isAdmin: false,
      errors: [{ field: 'new_password', message: X }],
    },
    'users/roles': {
      heading: X,
      action: X,
      base: X,
      roles: [{ field: X, role: X, isHeld: true, hint: X }],
      errors: [{ field: null, message: X }],
    },
    'users/enrol': { name: X, base: X, apps: appChoices, appFinder: { action: X, search: X } },
    'keys/list': {
      columns,
      keys: [{ kid: X, state: { text: X, tone: X }, note: X, exact: X, created: when }],
    },
    'queues/overview': {
      queueColumns: columns,
      queues: [{ queue: X, what: X, waiting: X, running: X, dead: X, oldestDue: when }],
      jobColumns: columns,
      letterColumns: columns,
      limitColumns: columns,
      figures: [{ label: X, value: X }],
      oldestDue: when,
      jobs: [{ job: X, what: X, pending: 1, dead: 1 }],
      letters: [
        { id: X, job: X, what: X, reason: X, attempts: 15, deadAt: when, isTooLate: true },
        { id: X, job: X, what: X, reason: X, attempts: 15, deadAt: when, isTooLate: false },
      ],
      olderUrl: X,
      limits: [{ label: X, what: X, key: X, href: X, count: 7, points: 5, left: X }],
    },
    'push/overview': {
      search: X,
      states: [{ value: X, label: X, isChosen: true }],
      isFiltered: true,
      columns,
      apps: [
        {
          name: X,
          tenantName: X,
          href: X,
          isAppOff: true,
          state: { text: X, tone: X },
          today: 1,
          week: 1200,
          devices: X,
          providers: X,
          webhook: { text: X, tone: X },
          webhookUrl: X,
        },
      ],
      pager: { page: 2, previousUrl: X, nextUrl: X, words: X, sizes: [{ label: X, href: X, isCurrent: false }] },
    },
    'queues/limits': {
      errors: [{ field: 'address', message: X }],
      address: X,
      looked: true,
      isNetwork: false,
      person: { name: X, href: X },
      columns,
      limits: [{ label: X, what: X, key: X, href: null, count: 7, points: 5, left: X }],
    },
  };
}

export function hostileChart(X: string) {
  return {
    id: X,
    title: X,
    note: X,
    viewBox: X,
    gridPath: X,
    lines: [{ path: X, lastPath: X, kind: X }],
    bars: [{ x: 1, y: 1, width: 1, height: 1, isLast: true }],
    openColumn: { x: 1, width: 1 },
    buckets: [{ label: X, values: X, opensLeft: true }],
    legend: [{ label: X, kind: X }],
    scale: [X],
    axis: [X],
    unitLabel: X,
    columns: [X],
    rows: [{ label: X, iso: X, values: [X] }],
  };
}

/** For the partial `console/mail-list`. */
export function mailList(X: string) {
  const when = { words: X, iso: X, utc: X };
  const options = [{ value: X, label: X, isChosen: true }];
  const mail = {
    id: X,
    kind: X,
    to: X,
    personUrl: X,
    appName: X,
    appUrl: X,
    state: { text: X, tone: X },
    detail: X,
    queued: when,
    mayResend: true,
    whyNot: X,
  };
  return {
    path: X,
    values: { state: X, template: X, app_id: X, email: X, from: X, to: X },
    errors: [],
    states: options,
    kinds: options,
    isFiltered: true,
    isWhole: true,
    apps: [{ label: X, options }],
    columns: [{ label: X, className: X, href: X, sorted: X }],
    mails: [mail, { ...mail, personUrl: null, appUrl: null, detail: '', mayResend: false }],
    sizes: [{ label: X, href: X, isCurrent: false }],
    firstUrl: X,
    nextUrl: X,
  };
}
