import { parseSettingUrl, refuseOption } from "@tenon/core/internal";

export interface SmtpUrl {
  readonly kind: "smtp";
  readonly host: string;
  readonly port: number;
  /** `implicit`: TLS from the first byte. `required`: after STARTTLS. `off`: never. */
  readonly tls: "implicit" | "required" | "off";
  readonly user: string | undefined;
  readonly password: string | undefined;
}

export type MailUrl = SmtpUrl | { readonly kind: "file"; readonly folder: string } | { readonly kind: "memory" };

const forms = "smtp://user:password@host:587, smtps://user:password@host:465, file:data/mail or memory:";

/** Stops the start for a URL that cannot be used, and quotes nothing of it. */
export function parseMailUrl(text: string): MailUrl {
  const name = "url of mailModule()";
  const refuse = (problem: string): never => refuseOption(`${name} cannot be used. ${problem}`);
  if (text === "memory:") return { kind: "memory" };
  if (text.startsWith("file:")) {
    const folder = text.slice("file:".length).replace(/^\/\/(?=\/)/, "");
    return folder === "" || folder.startsWith("//")
      ? refuse("Name a folder: file:data/mail.")
      : { kind: "file", folder };
  }
  const isSmtp = ({ protocol }: URL) => /^smtps?:$/.test(protocol);
  return parseSmtpUrl(parseSettingUrl(name, text, `It takes a URL such as ${forms}.`, isSmtp), refuse);
}

function parseSmtpUrl(url: URL, refuse: (problem: string) => never): SmtpUrl {
  const isImplicit = url.protocol === "smtps:";
  const { tls = "required", ...others } = Object.fromEntries(url.searchParams);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) refuse("It takes no parameter but ?tls=off.");
  if (url.searchParams.has("tls") && (isImplicit || tls !== "off")) {
    refuse(isImplicit ? "smtps: always uses TLS: leave out ?tls." : "?tls takes off, which sends mails in clear text.");
  }
  if (url.pathname !== "" && url.pathname !== "/") refuse("Leave out what follows the port.");
  if (url.port === "0") refuse("The port is from 1 to 65535.");
  const user = decode(url.username, refuse);
  const password = decode(url.password, refuse);
  if ((user === "") !== (password === "")) refuse("Write both user and password, or neither.");
  return {
    kind: "smtp",
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || (isImplicit ? 465 : 587)),
    tls: isImplicit ? "implicit" : tls === "off" ? "off" : "required",
    user: user || undefined,
    password: password || undefined,
  };
}

function decode(text: string, refuse: (problem: string) => never): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse('Write "%" in user and password as %25.');
  }
}
