/** Whether an app takes this way of signing in: `password`, `magic_link` or an external provider. */
export function offers(
  app: { readonly config: { readonly allowed_providers: readonly string[] } },
  way: string,
): boolean {
  return app.config.allowed_providers.includes(way);
}
