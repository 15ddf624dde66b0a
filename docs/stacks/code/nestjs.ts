import {
  type ArgumentsHost,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  HttpException,
} from "@nestjs/common";
import { type ReflectableDecorator, Reflector } from "@nestjs/core";
import type { Request, Response } from "express";
import type { JWTPayload } from "jose";

import { authorize, errorBody, Refused, type Trust, verify } from "./verify.ts";

/** On each handler: `@RequiredScope("org:read")`. */
export const RequiredScope: ReflectableDecorator<string> = Reflector.createDecorator<string>();

export interface AuthorizedRequest extends Request<{ orgId?: string }> {
  claims?: JWTPayload;
}

/** `app.useGlobalGuards(new TokenGuard(trust))`: a handler without a required scope is refused. */
export class TokenGuard implements CanActivate {
  readonly #trust: Trust;
  readonly #reflector = new Reflector();

  constructor(trust: Trust) {
    this.#trust = trust;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthorizedRequest>();
    const scope: string | undefined = this.#reflector.get(RequiredScope, context.getHandler());
    if (scope === undefined) throw new Refused(403, "This route requires no known scope");
    const claims = await verify(request.headers.authorization, this.#trust);
    authorize(claims, scope, request.params.orgId);
    request.claims = claims;
    return true;
  }
}

/** `app.useGlobalFilters(new ErrorBodies())`: every error, those of Nest too, becomes an Error body. */
export class ErrorBodies implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const status = statusOf(error);
    if (status === 401) response.set("WWW-Authenticate", "Bearer");
    const message = error instanceof Refused ? error.message : "The request cannot be served";
    response.status(status).json(errorBody(status, message));
  }
}

function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  // Those of the body parser have a status of their own.
  return (error as { status?: number }).status ?? 500;
}
