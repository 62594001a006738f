import { api, type Class, type Context, defineModule, dto, type Infer, type Routes, string } from "@tenon/core";
import { createTestApp, type TestAppOptions, type TestHttpApp } from "@tenon/core/testing";
import { dataModule } from "@tenon/data";
import { jobsModule } from "@tenon/jobs";
import { type TestJobs, withJobs } from "@tenon/jobs/testing";
import { type Address, defineMail, type MailModuleOptions, mail, mailModule } from "@tenon/mail";

export const views = new URL("../fixtures/views/", import.meta.url);
export const from = { name: "Blog", address: "no-reply@example.com" };

export const ResetPassword = defineMail("mail/reset-password", {
  summary: "Sends a link to set a new password",
  input: dto({ user_id: string("required") }),
  data: dto({ name: string(), link: string("required") }),
  subject: ({ name }) => `${name}, reset your password`,
  preview: { name: "Ada", link: "https://example.com/reset?token=preview&page=1" },
});

/** The token of every link: it must be nowhere but in the mail. */
export const token = "t0ken-of-the-link";

/** The recipients by the id of their user; a user that is not there was deleted. */
export class Users extends Map<string, Address> {}

export class Mails {
  static readonly users = new Users();
  routes(): Routes {
    return [mail(ResetPassword, this.reset)];
  }

  async reset(_: Context, { user_id }: Infer<typeof ResetPassword.input>) {
    const to = Mails.users.get(user_id);
    if (to === undefined) return undefined;
    return { to, data: { name: to.name ?? "", link: `https://example.com/reset?token=${token}&page=1` } };
  }
}

export const users = Mails.users;

export type MailApp = TestHttpApp & { readonly jobs: TestJobs };

export function createMailModule(
  options: Partial<MailModuleOptions> = {},
  declarations: readonly Class[] = [Mails],
  database = "sqlite::memory:",
) {
  const data = dataModule({ database });
  const jobs = jobsModule(data);
  const module = mailModule(jobs, { url: "memory:", from, views, ...options });
  return defineModule({ name: "app", imports: [data, jobs, module], declarations });
}

/** A started application whose jobs are held. */
export async function withMailApp<T>(
  options: Partial<MailModuleOptions>,
  body: (app: MailApp) => Promise<T>,
  { declarations, ...appOptions }: TestAppOptions & { readonly declarations?: readonly Class[] } = {},
): Promise<T> {
  const app = withJobs(
    await createTestApp(createMailModule(options, declarations), api(), { log: { level: "silent" }, ...appOptions }),
  );
  try {
    return await body(app);
  } finally {
    await app.stop();
  }
}
