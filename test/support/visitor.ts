import type { Browser, Locator, Page } from 'playwright-core';

/** A user with their own browser, who only reads, types and clicks. */
export class Visitor {
  private constructor(readonly page: Page) {}

  static async arrive(browser: Browser): Promise<Visitor> {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const page = await context.newPage();
    // A page with a secret asks whether it was kept before it is left.
    page.on('dialog', (dialog) => void dialog.accept());
    return new Visitor(page);
  }

  /** An address that they know from elsewhere: a mail, a terminal, another app. */
  async open(address: string): Promise<void> {
    await this.page.goto(address);
  }

  async fill(fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [label, value] of Object.entries(fields)) {
      // By its role: the button that shows a password carries the word too.
      await this.page.getByRole('textbox', { name: label, exact: true }).fill(value);
    }
  }

  choose(label: string, option: string): Promise<string[]> {
    return this.page.getByLabel(label, { exact: true }).selectOption({ label: option });
  }

  tick(label: string): Promise<void> {
    return this.page.getByRole('checkbox', { name: label, exact: true }).check();
  }

  press(button: string, within = 'body'): Promise<void> {
    return this.leaveBy(this.page.locator(within).getByRole('button', { name: button, exact: true }));
  }

  follow(link: string, within = 'main'): Promise<void> {
    return this.leaveBy(this.page.locator(within).getByRole('link', { name: link, exact: true }));
  }

  /** On the left of the console. */
  navigate(entry: string): Promise<void> {
    return this.follow(entry, 'nav.sidenav');
  }

  tab(name: string): Promise<void> {
    return this.follow(name, 'main nav.tabs');
  }

  async signIn({ email, password }: { email: string; password: string }): Promise<void> {
    await this.fill({ 'E-mail address': email, Password: password });
    await this.press('Sign in');
  }

  heading(): Promise<string> {
    return this.page.locator('h1').innerText();
  }

  /** What the page says about what was just done. */
  notice(): Promise<string> {
    return this.page.locator('.toasts .notice-text, main .notice').first().innerText();
  }

  /** In one line. */
  async text(selector = 'main'): Promise<string> {
    return (await this.page.locator(selector).first().innerText()).replace(/\s+/g, ' ');
  }

  private async leaveBy(locator: Locator): Promise<void> {
    await Promise.all([this.page.waitForEvent('load'), locator.click()]);
    // Between a hosted page and the app there may be a page that goes on by itself.
    await this.page.locator('h1', { hasText: 'One moment' }).waitFor({ state: 'detached' });
    await this.page.waitForLoadState();
  }
}
