export { type SentMail, sentMails } from "./sent-mails.ts";
