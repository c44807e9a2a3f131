import type { Request } from 'express';

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/** Methods that the routes at this path accept. Only called if no route has answered. */
export function allowedMethods(request: Request): string[] {
  const { stack } = (request.app as unknown as { router: { stack: Layer[] } }).router;
  const methods = new Set<string>();
  for (const layer of stack) {
    // A route with a wildcard serves only paths that have no other route.
    if (!layer.route || layer.route.path.includes('*') || !layer.match(request.path)) continue;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].filter((method) => method !== '_ALL').sort();
}
