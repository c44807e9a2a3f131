/** What the set-up (`servers/test-servers.js`) tells the test files; absent in `npm run test:unit`, which starts no server. */
export function environmentVariable(name: string): string {
  const value = process.env[name];
  if (!value)
    throw new Error(`${name} is not set: tests that need servers belong to test/db, test/e2e or test/browser`);
  return value;
}
