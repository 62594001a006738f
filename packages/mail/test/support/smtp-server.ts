import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { withFolder } from "../../../data/test/support/services.ts";

/** A mail as it has arrived. */
export interface Arrived {
  readonly from: string;
  readonly to: readonly string[];
  readonly secure: boolean;
  readonly raw: string;
  readonly mail: ParsedMail;
}

export interface Peer {
  readonly port: number;
  readonly arrived: readonly Arrived[];
}

/** A real SMTP server on 127.0.0.1. Accepts every mail, unless its options say otherwise. */
export async function withSmtpServer<T>(
  options: SMTPServerOptions,
  body: (peer: Peer) => Promise<T>,
  listenOn = 0,
): Promise<T> {
  const arrived: Arrived[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    onData(stream, session, done) {
      const { mailFrom, rcptTo } = session.envelope;
      text(stream)
        .then(async (raw) => {
          const from = mailFrom === false ? "" : (mailFrom?.address ?? "");
          const to = rcptTo.map(({ address }) => address);
          arrived.push({ from, to, secure: session.secure, raw, mail: await simpleParser(raw) });
          done();
        })
        .catch(done);
    },
    ...options,
  });
  server.on("error", () => {}); // clients that give up
  server.listen(listenOn, "127.0.0.1");
  await once(server.server, "listening");
  try {
    return await body({ port: (server.server.address() as AddressInfo).port, arrived }); // it listens on TCP
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

/** A key and a certificate for localhost that no client trusts by itself. */
export function createCertificate(): Promise<{ readonly key: string; readonly cert: string }> {
  return withFolder(async (folder) => {
    const key = join(folder, "key.pem");
    const cert = join(folder, "cert.pem");
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    await promisify(execFile)("openssl", ["req", "-x509", ...kind, ...subject, "-keyout", key, "-out", cert]);
    return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
  });
}
