import type { Locator, Page } from 'playwright-core';

/** Clicks a button that copies. It says so for two seconds only, so the test looks for it before it clicks. */
export async function copies(page: Page, button: Locator): Promise<void> {
  await Promise.all([page.waitForSelector('text=Copied'), button.click()]);
}
