import { UnrecoverableError } from "@tenon/jobs";

/** Milliseconds: for all steps until commands can be sent, and for the reply to a command. */
export interface SmtpLimits {
  readonly connect: number;
  readonly reply: number;
}

/** What nodemailer adds to its errors. */
interface SmtpError {
  readonly message: string;
  readonly code?: string;
  /** The step that failed: `RCPT TO`. */
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly timeoutType?: keyof typeof steps;
}

/** What the server did not do in time. */
const steps = {
  CONNECT_TIMEOUT: "accept the connection",
  GREETING_TIMEOUT: "send its greeting",
  UPGRADE_TIMEOUT: "complete the TLS handshake",
  SOCKET_TIMEOUT: "reply to a command",
} as const;

/**
 * An error that is stored with the job and logged. Of the server's reply it has the numbers only: servers quote the
 * recipient, and spam filters the links of the mail. The error of nodemailer, which has the whole reply, is dropped.
 */
export function toSendError(error: unknown, host: string, { connect, reply }: SmtpLimits): Error {
  const smtpError = error as SmtpError; // nodemailer throws nothing else
  const { command = "", responseCode, timeoutType } = smtpError;
  if (timeoutType !== undefined) {
    const limit = timeoutType === "SOCKET_TIMEOUT" ? reply : connect;
    return new Error(`${host} did not ${steps[timeoutType]} within ${limit / 1000} s`);
  }
  const numbers = toNumbers(smtpError);
  if (smtpError.code === "EAUTH") return new Error(`${host} refused user and password${numbers}`);
  if (command === "STARTTLS" && responseCode !== undefined) {
    const cure = "Use a port with TLS, or smtps:. ?tls=off sends mails and the password in clear text";
    return new Error(`${host} does not offer STARTTLS${numbers}: nothing was sent. ${cure}.`);
  }
  if (responseCode === undefined) return new Error(`${host} could not be reached: ${toReason(smtpError)}`);
  const isPermanent = responseCode >= 500 && (command === "RCPT TO" || command === "DATA");
  const subject = command === "RCPT TO" ? "the recipient" : command === "MAIL FROM" ? "the sender" : "the mail";
  // a sender that is refused is a matter of configuration: the mails wait until it is corrected
  return isPermanent
    ? new UnrecoverableError(`${host} refused ${subject}${numbers}`)
    : new Error(`${host} did not accept ${subject} now${numbers}`);
}

/** ` (550 5.1.1)`: the reply code, and the enhanced status code of RFC 3463 where there is one. */
function toNumbers({ response = "", responseCode }: SmtpError): string {
  if (responseCode === undefined) return "";
  const [, enhanced] = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response) ?? [];
  return enhanced === undefined ? ` (${responseCode})` : ` (${responseCode} ${enhanced})`;
}

/** Errors without a reply are those of Node and of nodemailer: "connect ECONNREFUSED 127.0.0.1:25". */
function toReason({ message, response }: SmtpError): string {
  return response === undefined ? message : "the reply is not SMTP";
}
