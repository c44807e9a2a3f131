import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Post, UseInterceptors } from '@nestjs/common';
import { type DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { RouteCensus } from '../../../../src/auth/access/route-census.js';
import { Browser, Requires } from '../../../../src/common/http/access-marks.js';
import { LargeBodyInterceptor } from '../../../../src/common/http/bodies/large-body.interceptor.js';
import { ConsolePage } from '../../../../src/console/frame/pages/console-page.js';

const Large = UseInterceptors(LargeBodyInterceptor);

/** What the start says of these controllers. */
function begin(...controllers: (new () => object)[]): () => void {
  const wrappers = controllers.map((metatype) => ({ instance: new metatype(), metatype }));
  const discovery = { getControllers: () => wrappers } as unknown as DiscoveryService;
  const census = new RouteCensus(discovery, new MetadataScanner(), new Reflector());
  return () => census.onModuleInit();
}

@Controller('good')
class Good {
  @Post('large')
  @Large
  @Requires({ minimumRole: 'platform_admin', recentSignIn: 'always' })
  large() {}

  @Post('free')
  @Large
  @Requires({ scope: 'push:send', freeBody: true })
  free() {}

  @Post('small')
  @Requires({ minimumRole: 'app_admin', scope: 'apps:write', recentSignIn: 'for_settings' })
  small() {}

  @Get('page')
  @Browser()
  page() {}
}

@Controller('authority')
class ForAuthority {
  @Post()
  @Large
  @Requires({ minimumRole: 'app_admin', recentSignIn: 'for_authority' })
  act() {}
}

@Controller('settings')
@Large
class ForSettings {
  @Post()
  @Requires({ minimumRole: 'app_admin', recentSignIn: 'for_settings' })
  act() {}
}

@Controller('service')
class ForServices {
  @Post()
  @Large
  @Requires({ scope: 'users:create' })
  act() {}
}

@Controller('console')
class OfConsole {
  @Post()
  @ConsolePage('app_admin', { recentSignIn: 'for_authority' })
  @Large
  act() {}
}

@Controller('unmarked')
class Unmarked {
  @Get()
  show() {}
}

describe('RouteCensus at the start', () => {
  it('accepts marks that bite', () => {
    expect(begin(Good)).not.toThrow();
  });

  it('refuses a route without a mark', () => {
    expect(begin(Good, Unmarked)).toThrow('Routes without an access mark: Unmarked.show');
  });

  it.each([ForAuthority, ForServices, OfConsole])('refuses %p: an interceptor reads the body later', (route) => {
    expect(begin(Good, route)).toThrow(`${route.name}.act`);
  });

  it('accepts a route whose service decides what needs a recent sign-in', () => {
    expect(begin(Good, ForSettings)).not.toThrow();
  });
});
