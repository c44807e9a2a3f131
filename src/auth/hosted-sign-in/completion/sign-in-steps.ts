import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { discoverByName } from '../../../common/discovered.js';
import type { NextStep } from '../attempts/next-step.rules.js';
import { SignInStep } from '../attempts/sign-in-step.js';

/** All {@link SignInStep}s among the providers of this process, by name. */
@Injectable()
export class SignInSteps implements OnApplicationBootstrap {
  private found: ReadonlyMap<string, SignInStep> | null = null;

  constructor(private readonly discovery: DiscoveryService) {}

  /** Two steps with the same name are a wiring mistake and must prevent the start. */
  onApplicationBootstrap(): void {
    this.collect();
  }

  find(name: NextStep): SignInStep | null {
    return this.collect().get(name) ?? null;
  }

  private collect(): ReadonlyMap<string, SignInStep> {
    return (this.found ??= discoverByName(this.discovery, SignInStep, ({ name }) => name));
  }
}
