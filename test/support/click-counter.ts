import type { Browser, Locator, Page } from 'playwright-core';

/** The device with which a user looks at a page. */
export interface Device {
  readonly name: string;
  readonly isPhone: boolean;
  readonly hasScripts: boolean;
}

/** A phone and a desktop, each with and without JavaScript. */
export const DEVICES: readonly Device[] = [
  { name: 'a desktop with JavaScript', isPhone: false, hasScripts: true },
  { name: 'a desktop without JavaScript', isPhone: false, hasScripts: false },
  { name: 'a phone with JavaScript', isPhone: true, hasScripts: true },
  { name: 'a phone without JavaScript', isPhone: true, hasScripts: false },
];

/** Works on a page and counts: each click, each choice from a list, and each Enter is one. Typing is not counted. */
export class ClickCounter {
  clicks = 0;

  private constructor(
    readonly page: Page,
    private readonly device: Device,
  ) {}

  static async open(browser: Browser, device: Device): Promise<ClickCounter> {
    const phone = { viewport: { width: 375, height: 800 }, isMobile: true, hasTouch: true };
    const context = await browser.newContext({
      reducedMotion: 'reduce',
      javaScriptEnabled: device.hasScripts,
      ...(device.isPhone ? phone : { viewport: { width: 1280, height: 800 } }),
    });
    const page = await context.newPage();
    // A page with a secret asks whether it was kept before it is left.
    page.on('dialog', (dialog) => void dialog.accept());
    return new ClickCounter(page, device);
  }

  /** A click that stays on the page. */
  async click(locator: Locator): Promise<void> {
    this.clicks += 1;
    await locator.click();
  }

  /** A click, or the key Enter in a field, that leads to another page. */
  async leave(locator: Locator, how: 'click' | 'Enter' = 'click'): Promise<void> {
    this.clicks += 1;
    const act = how === 'click' ? locator.click() : locator.press('Enter');
    await Promise.all([this.page.waitForEvent('load'), act]);
  }

  follow(name: string | RegExp, within = 'main'): Promise<void> {
    return this.leave(this.page.locator(within).getByRole('link', { name, exact: true }).first());
  }

  press(name: string | RegExp, within = 'main'): Promise<void> {
    return this.leave(this.page.locator(within).getByRole('button', { name, exact: true }).first());
  }

  async choose(label: string, option: string): Promise<void> {
    this.clicks += 1;
    await this.page.getByLabel(label, { exact: true }).selectOption({ label: option });
  }

  /** An entry of the navigation, which is behind a button on a phone. */
  async navigate(entry: string): Promise<void> {
    if (this.device.isPhone) await this.click(this.page.getByRole('button', { name: 'Menu' }));
    await this.leave(this.page.locator('nav.sidenav').getByRole('link', { name: new RegExp(`^${entry}\\b`) }));
  }

  /** By the field in the bar, which is behind a button on a phone. */
  async search(text: string): Promise<void> {
    const field = this.page.locator('#search');
    if (this.device.isPhone) await this.click(this.page.locator('.topbar-search').getByRole('link'));
    await field.fill(text);
    await this.leave(field, 'Enter');
  }

  text(): Promise<string> {
    return this.page.locator('main').innerText();
  }
}
