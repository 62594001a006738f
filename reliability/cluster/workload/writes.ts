import { Client, textOf } from "./client.ts";
import {
  askAgain,
  findUser,
  newEmail,
  type PartLoad,
  password,
  pickUrl,
  register,
  repeat,
  type Setting,
} from "./setting.ts";

/** CL1: users, posts and API keys are created, changed and removed. */
export function startWrites(setting: Setting): PartLoad {
  const posts = new Set<string>();
  const keys = new Map<string, string>();
  const ended = [
    registerUsers(setting),
    ...[1, 2].map((number) => writePosts(setting, new Client(`posts-${number}`, setting.history), posts)),
    writeKeys(setting, keys),
  ];
  return {
    ended: Promise.all(ended),
    verify: async () => {
      for (const user of setting.users) await readUser(setting, user);
      for (const post of posts) await readPost(setting, post);
      for (const [key, secret] of keys) await readKey(setting, key, secret);
    },
  };
}

function registerUsers(setting: Setting): Promise<void> {
  const client = new Client("users", setting.history);
  return repeat(setting, 2500, () => register(setting, client, newEmail()));
}

/** An item whose last change has an unknown outcome is left alone: that change may still happen. */
async function writePosts(setting: Setting, client: Client, posts: Set<string>): Promise<void> {
  const user = await findUser(setting, client);
  if (user === undefined) return;
  const { token } = user;
  const own: string[] = [];
  const { random } = setting;
  await repeat(setting, 400, async () => {
    const url = pickUrl(setting);
    const title = crypto.randomUUID();
    const index = random.below(own.length + 1);
    const post = own[index];
    if (post === undefined || own.length < 3) {
      const json = { title, content: "c" };
      const asked = { method: "POST", path: "/posts", json, token };
      const valuesOf = (answer: Parameters<typeof textOf>[0]) => ({ post: textOf(answer, "id") });
      const answer = await client.run("create post", { title }, url, asked, { valuesOf });
      if (answer.status !== 201) return;
      own.push(textOf(answer, "id"));
      posts.add(textOf(answer, "id"));
      return;
    }
    const path = `/posts/${post}`;
    const isRemoved = random.below(3) === 0;
    const { status } = isRemoved
      ? await client.run("delete post", { post }, url, { method: "DELETE", path, token })
      : await client.run("update post", { post, title }, url, { method: "PATCH", path, json: { title }, token });
    if (isRemoved || status !== 200) own.splice(index, 1);
  });
}

async function writeKeys(setting: Setting, keys: Map<string, string>): Promise<void> {
  const client = new Client("keys", setting.history);
  const user = await findUser(setting, client);
  if (user === undefined) return;
  const { token } = user;
  const path = "/auth/api-keys";
  await repeat(setting, 700, async (turn) => {
    const url = pickUrl(setting);
    const valuesOf = (answer: Parameters<typeof textOf>[0]) => ({ key: textOf(answer, "id") });
    const answer = await client.run("create key", {}, url, { method: "POST", path, json: {}, token }, { valuesOf });
    if (answer.status !== 201) return;
    const key = textOf(answer, "id");
    keys.set(key, textOf(answer, "key"));
    if (turn % 2 === 0) return;
    await client.run("revoke key", { key }, pickUrl(setting), { method: "DELETE", path: `${path}/${key}`, token });
  });
}

async function readUser({ url, history }: Setting, user: string): Promise<void> {
  const json = { email: user, password };
  const { status } = await askAgain(url, { method: "POST", path: "/auth/login", json });
  if (status === 200 || status === 401) history.note("read user", "reader", { user, found: status === 200 });
}

async function readPost({ url, history }: Setting, post: string): Promise<void> {
  const answer = await askAgain(url, { method: "GET", path: `/posts/${post}` });
  if (answer.status === 200) history.note("read post", "reader", { post, title: textOf(answer, "title") });
  else if (answer.status === 404) history.note("read post", "reader", { post, title: null });
}

async function readKey({ url, history }: Setting, key: string, secret: string): Promise<void> {
  const { status } = await askAgain(url, { method: "GET", path: "/auth/key", headers: { "x-api-key": secret } });
  if (status === 200 || status === 401) history.note("read key", "reader", { key, found: status === 200 });
}
