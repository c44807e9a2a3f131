import { Injectable, type OnModuleInit, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ACCESS_MARK, type AccessMark } from '../../common/http/access-marks.js';

export interface CountedRoute {
  /** `UsersController.list` */
  readonly handler: string;
  /** The controller’s method, which carries the marks. */
  readonly target: () => void;
  /** `GET /admin/users/:user_id/detail`; several where the handler has several paths. */
  readonly routes: readonly string[];
  readonly mark: AccessMark | null;
}

/** Finds every route of the application; one without an access mark stops the start. */
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
  }

  count(): CountedRoute[] {
    return this.discovery.getControllers().flatMap(({ instance, metatype }) => {
      const prototype = instance && (Object.getPrototypeOf(instance) as object);
      if (!prototype || !metatype) return [];
      return this.scanner.getAllMethodNames(prototype).flatMap((name): CountedRoute[] => {
        const handler = (prototype as Record<string, unknown>)[name];
        if (typeof handler !== 'function' || Reflect.getMetadata(PATH_METADATA, handler) === undefined) return [];
        const mark = this.reflector.getAllAndOverride<AccessMark | undefined>(ACCESS_MARK, [
          handler as () => void,
          metatype as new () => object,
        ]);
        const target = handler as () => void;
        const routes = routesOf(metatype, handler);
        return [{ handler: `${metatype.name}.${name}`, target, routes, mark: mark ?? null }];
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
