const COLUMN = { className: null, href: null, sorted: null };
const COLORS = ['page', 'surface', 'sunken', 'hover', 'ink', 'ink-soft', 'line', 'line-control', 'link'].concat([
  'good',
  'good-surface',
  'warn',
  'warn-surface',
  'danger',
  'danger-surface',
  'info',
  'info-surface',
  'neutral-surface',
]);

const USERS = [
  ['Ngozi MacGillycuddy', 'ngozi@drivers.example', 'Active', 'plain'],
  ['Kwame O’Brien', 'kwame@drivers.example', 'Waiting for approval', 'off'],
  ['Šárka Hrdličková', 'sarka@drivers.example', 'Suspended', 'bad'],
  ['Özlem von der Leyen-Hohenstein', 'oezlem@drivers.example', 'Active', 'plain'],
] as const;

/**
 * Examples of all components in one theme for `/dev/design`. Ids and labels contain the theme, because they must be
 * unique.
 */
export function designSample(theme: 'light' | 'dark') {
  const named = (name: string): string => `${name}, ${theme}`;
  const option = (label: string) => ({ value: label, label, isChosen: false });
  const item = (label: string, icon: string, count: number | null = null) => ({ label, icon, count, href: '#main' });
  return {
    theme,
    heading: theme === 'light' ? 'Light' : 'Dark',
    colors: COLORS,
    labels: { tabs: named('Tabs'), table: named('Users'), nav: named('Navigation') },
    fields: { text: `${theme}-text`, wrong: `${theme}-wrong`, choice: `${theme}-choice`, check: `${theme}-check` },
    search: `${theme}-search`,
    pick: `${theme}-pick`,
    errors: [{ field: `${theme}-wrong`, message: 'Enter a number from 1 to 90.' }],
    options: ['All states', 'Active', 'Suspended'].map(option),
    badges: [
      { text: 'Neutral', tone: 'neutral' },
      { text: 'Blue', tone: 'info' },
      { text: 'Green', tone: 'good' },
      { text: 'Amber', tone: 'off' },
      { text: 'Red', tone: 'bad' },
      { text: 'Normal state', tone: 'plain' },
    ],
    tabs: ['Overview', 'Sign-in', 'Branding', 'Members', 'Invites', 'Push', 'Webhooks', 'API access', 'Danger'].map(
      (label) => ({ label, href: '#main', isCurrent: label === 'Members' }),
    ),
    navigation: [
      { heading: null, items: [item('Overview', 'house')] },
      { heading: 'Manage', items: [item('Apps', 'layout-grid'), item('Users', 'users'), item('Requests', 'inbox', 7)] },
    ],
    columns: [
      { ...COLUMN, label: 'User' },
      { ...COLUMN, label: 'State' },
      { ...COLUMN, label: 'Id', className: 'col-id' },
    ],
    users: USERS.map(([name, email, state, tone], index) => ({
      name,
      email,
      href: '#main',
      state: { text: state, tone },
      id: `01a20316-7c1b-7000-8000-0000000a978${index}`,
    })),
  };
}
