import "reflect-metadata";
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  type INestApplication,
  Inject,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Param,
  Post,
  Query,
  Req,
  type Type,
  UnauthorizedException,
  UseGuards,
  ValidationPipe,
} from "@nestjs/common";
import { JwtModule, JwtService } from "@nestjs/jwt";
import { IsArray, IsBoolean, IsInt, IsString, Max, MaxLength, Min, MinLength } from "class-validator";

/** What the peers of the other frameworks import from support/data.ts: this folder is compiled apart from them. */
export interface Data {
  readonly hello: unknown;
  readonly posts: unknown;
  readonly routes: readonly Route[];
  readonly secret: string;
  created(post: NewPostDto): unknown;
  toBody(route: Route, param: (name: "id" | "item") => string | undefined): unknown;
}

interface Route {
  readonly path: string;
  readonly params: readonly string[];
  readonly route: number;
}

export class NewPostDto {
  @IsString()
  @MinLength(1)
  @MaxLength(200)
  title!: string;

  @IsString()
  @MinLength(1)
  content!: string;

  @IsInt()
  @Min(1)
  @Max(5)
  priority!: number;

  @IsBoolean()
  published!: boolean;

  @IsArray()
  @IsString({ each: true })
  tags!: string[];
}

interface Counted {
  count?: number;
}

interface Guarded {
  readonly headers: { readonly authorization?: string };
  user?: { readonly user_id: string };
}

export type Create = (module: Type) => Promise<INestApplication>;

async function listen(app: INestApplication, port: number): Promise<void> {
  await app.listen(port, "127.0.0.1");
}

export function createScenarios(create: Create, data: Data) {
  return {
    json: async (port: number) => {
      @Controller()
      class HelloController {
        @Get()
        show() {
          return data.hello;
        }
      }
      @Module({ controllers: [HelloController] })
      class AppModule {}
      await listen(await create(AppModule), port);
    },

    params: async (port: number) => {
      @Controller("users/:user/posts")
      class PostsController {
        @Get(":post")
        show(@Param("user") user: string, @Param("post") post: string, @Query("page") page: string) {
          return { user, post, page };
        }
      }
      @Module({ controllers: [PostsController] })
      class AppModule {}
      await listen(await create(AppModule), port);
    },

    body: async (port: number) => {
      @Controller("posts")
      class PostsController {
        @Post()
        create(@Body() post: NewPostDto) {
          return data.created(post);
        }
      }
      @Module({ controllers: [PostsController] })
      class AppModule {}
      const app = await create(AppModule);
      app.useGlobalPipes(new ValidationPipe());
      await listen(app, port);
    },

    middlewares: async (port: number) => {
      const count = (req: Counted, _res: unknown, next: () => void) => {
        req.count = (req.count ?? 0) + 1;
        next();
      };
      @Controller()
      class CountController {
        @Get()
        show(@Req() req: Counted & { readonly raw?: Counted }) {
          return { count: (req.raw ?? req).count };
        }
      }
      @Module({ controllers: [CountController] })
      class AppModule implements NestModule {
        configure(consumer: MiddlewareConsumer) {
          consumer.apply(count, count, count, count, count).forRoutes(CountController);
        }
      }
      await listen(await create(AppModule), port);
    },

    list: async (port: number) => {
      @Controller("posts")
      class PostsController {
        @Get()
        index() {
          return data.posts;
        }
      }
      @Module({ controllers: [PostsController] })
      class AppModule {}
      await listen(await create(AppModule), port);
    },

    routes: async (port: number) => {
      const controllers = data.routes.map((route) => {
        @Controller()
        class OneController {
          @Get(route.path)
          show(@Param() params: Record<string, string>) {
            return data.toBody(route, (name) => params[name]);
          }
        }
        return OneController;
      });
      @Module({ controllers })
      class AppModule {}
      await listen(await create(AppModule), port);
    },

    bearer: async (port: number) => {
      @Injectable()
      class AuthGuard implements CanActivate {
        constructor(@Inject(JwtService) private readonly jwt: JwtService) {}

        async canActivate(context: ExecutionContext): Promise<boolean> {
          const request = context.switchToHttp().getRequest<Guarded>();
          const [type, token] = request.headers.authorization?.split(" ") ?? [];
          if (type !== "Bearer" || token === undefined) throw new UnauthorizedException();
          try {
            request.user = await this.jwt.verifyAsync(token);
          } catch {
            throw new UnauthorizedException();
          }
          return true;
        }
      }
      @Controller("me")
      class MeController {
        @UseGuards(AuthGuard)
        @Get()
        show(@Req() request: Guarded) {
          return { user_id: request.user?.user_id };
        }
      }
      @Module({ imports: [JwtModule.register({ secret: data.secret })], controllers: [MeController] })
      class AppModule {}
      await listen(await create(AppModule), port);
    },
  };
}
