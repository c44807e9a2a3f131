/** Whether the app allows this sign-in method: `password`, `magic_link`, `passkey` or an external provider. */
export function allowsMethod(
  app: { readonly config: { readonly allowed_providers: readonly string[] } },
  method: string,
): boolean {
  return app.config.allowed_providers.includes(method);
}
