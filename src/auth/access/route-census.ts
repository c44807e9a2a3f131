import { Injectable, type OnModuleInit, RequestMethod } from '@nestjs/common';
import { INTERCEPTORS_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import {
  ACCESS_MARK,
  type AccessMark,
  CONSOLE_RECENT_SIGN_IN,
  type RecentSignInMark,
} from '../../common/http/access-marks.js';

export interface CountedRoute {
  /** For example `UsersController.list`. */
  readonly handler: string;
  /** The controller’s method, which carries the marks. */
  readonly target: () => void;
  /** For example `GET /admin/users/:user_id/detail`; several if the handler has several paths. */
  readonly routes: readonly string[];
  readonly mark: AccessMark | null;
  /** Its own interceptor, or one of its controller. */
  readonly hasInterceptor: boolean;
}

/**
 * Finds every route of the application. The start fails for a route without an access mark, and for a route whose mark
 * depends on the body while its own interceptor may read the body after the guards: the mark would have no effect.
 */
@Injectable()
export class RouteCensus implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onModuleInit(): void {
    const unmarked = this.count().filter((route) => !route.mark);
    if (unmarked.length > 0) {
      throw new Error(`Routes without an access mark: ${unmarked.map((route) => route.handler).join(', ')}`);
    }
    const blind = this.count().filter((route) => route.hasInterceptor && this.looksAtBody(route));
    if (blind.length > 0) {
      const names = blind.map((route) => route.handler).join(', ');
      throw new Error(`Routes whose mark looks at a body that an interceptor reads after it: ${names}`);
    }
  }

  /** Guards read the body for these marks, and for service tokens. */
  private looksAtBody({ mark, target }: CountedRoute): boolean {
    const ofConsole = this.reflector.get<{ readonly mark: RecentSignInMark } | undefined>(
      CONSOLE_RECENT_SIGN_IN,
      target,
    );
    const own = mark?.kind === 'bearer' ? mark : null;
    const marks = [ofConsole?.mark, own?.recentSignIn];
    return marks.includes('for_authority') || (!!own?.scope && !own.freeBody);
  }

  count(): CountedRoute[] {
    return this.discovery.getControllers().flatMap(({ instance, metatype }) => {
      const prototype = instance && (Object.getPrototypeOf(instance) as object);
      if (!prototype || !metatype) return [];
      return this.scanner.getAllMethodNames(prototype).flatMap((name): CountedRoute[] => {
        const handler = (prototype as Record<string, unknown>)[name];
        if (typeof handler !== 'function' || Reflect.getMetadata(PATH_METADATA, handler) === undefined) return [];
        const places = [handler as () => void, metatype as new () => object];
        const hasInterceptor = this.reflector.getAllAndMerge<unknown[]>(INTERCEPTORS_METADATA, places).length > 0;
        const mark = this.reflector.getAllAndOverride<AccessMark | undefined>(ACCESS_MARK, places);
        const target = handler as () => void;
        const routes = routesOf(metatype, handler);
        return [{ handler: `${metatype.name}.${name}`, target, routes, mark: mark ?? null, hasInterceptor }];
      });
    });
  }
}

function routesOf(controller: object, handler: object): string[] {
  const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number];
  return pathsOf(controller).flatMap((prefix) =>
    pathsOf(handler).map((path) => `${method} /${[prefix, path].filter((part) => part !== '').join('/')}`),
  );
}

function pathsOf(target: object): string[] {
  const path = Reflect.getMetadata(PATH_METADATA, target) as string | string[];
  return [path].flat().map((each) => each.replace(/^\/|\/$/g, ''));
}
