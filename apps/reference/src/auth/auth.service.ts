import {
  accessTokenSeconds,
  Logins,
  PasswordLogin,
  RefreshTokens,
  RegistrationLimit,
  Sessions,
  sessionCookie,
  Tokens,
} from "@tenon/auth";
import { type Context, explainForeignOrigin, HttpError, inject, Log } from "@tenon/core";
import { StoreError } from "@tenon/data";
import { toUser, type User, type UserRecord } from "../users/user.ts";
import { foldEmail, type OnCreated, UsersService } from "../users/users.service.ts";
import type { LoginDTO, RegisterDTO } from "./auth.dto.ts";
import { notCreated, notIssued } from "./auth.errors.ts";

export interface LoginResponse {
  readonly token: string;
  readonly expires_in: number;
  readonly user: User;
}

export interface TokenPair {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

/** Registration, login and the tokens that they issue. Logs who logged in and out, and never a secret. */
export class AuthService {
  readonly #users = inject(UsersService);
  readonly #tokens = inject(Tokens);
  readonly #logins = inject(Logins);
  readonly #sessions = inject(Sessions);
  readonly #refreshTokens = inject(RefreshTokens);
  readonly #passwordLogin = inject(PasswordLogin);
  readonly #registrations = inject(RegistrationLimit);
  readonly #log = inject(Log);

  /** Undefined when the address is taken; a 429 after too many users of one network. */
  async register(input: RegisterDTO, ctx: Context, onCreated?: OnCreated): Promise<UserRecord | undefined> {
    const create = () => this.#users.create(input, { onCreated, ctx });
    const user = await this.#registrations.run(ctx, create).catch((error: unknown) => {
      throw error instanceof StoreError ? new HttpError(500, notCreated, { cause: error }) : error;
    });
    if (user !== undefined) this.#log.info({ event: "registered", user_id: user.id });
    return user;
  }

  /**
   * Undefined when the address is unknown, or the password or the code wrong; a 429 after too many failures. Throws
   * `SecondFactorRequired` when the user has a second factor and the code is missing.
   */
  async login({ email, password, code }: LoginDTO, ctx: Context): Promise<UserRecord | undefined> {
    const find = () => this.#users.findByEmail(email);
    const user = await this.#passwordLogin.check({ account: foldEmail(email), password, code, find }, ctx);
    if (user === undefined) {
      this.#log.warn({ event: "login failed", id: ctx.id, address: ctx.request().address() });
      return undefined;
    }
    await this.#users.strengthen(user, password);
    this.#log.info({ event: "logged in", user_id: user.id });
    return user;
  }

  async toLoginResponse(user: UserRecord, ctx: Context): Promise<LoginResponse> {
    return { token: await this.issueToken(user, ctx), expires_in: accessTokenSeconds, user: toUser(user) };
  }

  /** `login`: the request that logs in, or the stamp of the login that is refreshed. */
  async issueToken(user: UserRecord, login: Context | string): Promise<string> {
    try {
      return await this.#tokens.issue(user, login);
    } catch (error) {
      throw new HttpError(500, notIssued, { cause: error });
    }
  }

  async issuePair(user: UserRecord, ctx: Context): Promise<TokenPair> {
    const stamp = await this.#logins.stampFor(ctx, user.id);
    return this.#toPair(await this.issueToken(user, ctx), await this.#refreshTokens.generate(user.id, stamp));
  }

  /** Undefined when the refresh token is not valid, or its user is deleted. */
  async refresh(refreshToken: string): Promise<TokenPair | undefined> {
    // the token is consumed last: a short outage of the database must not end the login
    const userId = await this.#refreshTokens.ownerOf(refreshToken);
    const user = userId === undefined ? undefined : await this.#users.find(userId);
    const refreshed = user && (await this.#refreshTokens.refresh(refreshToken));
    if (user === undefined || refreshed === undefined) return undefined;
    this.#log.info({ event: "refreshed", user_id: user.id });
    return this.#toPair(await this.issueToken(user, refreshed.stamp), refreshed.refreshToken);
  }

  /** Ends the session of the cookie and the given refresh token. Unknown ones are ignored. */
  async logout(ctx: Context, refreshToken?: string): Promise<void> {
    const session = ctx.cookie(sessionCookie) !== "";
    // a browser keeps a SameSite cookie back from the requests of another site, and would still let their responses clear it
    if (session || explainForeignOrigin(ctx) === undefined) await this.#sessions.close(ctx);
    if (refreshToken !== undefined) await this.#refreshTokens.revoke(refreshToken);
    this.#log.info({ event: "logged out", session, refresh: refreshToken !== undefined });
  }

  #toPair(accessToken: string, refreshToken: string): TokenPair {
    return { access_token: accessToken, refresh_token: refreshToken, expires_in: accessTokenSeconds };
  }
}
