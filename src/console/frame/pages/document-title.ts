import type { Text } from '../../../common/i18n/message.js';
import { type Crumb, isNavigationLabel } from './navigation.js';

/** `Members · Driver App · Console`: the page, its objects from the inside out, and the console. Lists are left out. */
export function documentTitle(title: Text, crumbs: readonly Crumb[] = []): string {
  const about = crumbs.map(({ label }) => label).filter((label) => !isNavigationLabel(label));
  return [`${title}`, ...about.reverse(), 'Console'].join(' · ');
}
