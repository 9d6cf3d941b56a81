/** Explains a failure to send mail to the administrator. */
import { diagnoseTlsError } from './diagnose-tls-error.ts'

const PORTS =
  'smtps:// is for servers that encrypt from the first byte (port 465), smtp:// for those that start unencrypted and switch to TLS (587, 25).'

const refusedPort = (server: string): string =>
  `Nothing listens at ${server}: look at host and port in mail.url.`

/** The codes come from the mail library and from system sockets. */
export function diagnoseMailError(error: unknown, server: string): string {
  const {
    code,
    responseCode,
    message = String(error),
  } = (error ?? {}) as { code?: string; responseCode?: number; message?: string }
  const said = message.replace(/\s+/g, ' ').slice(0, 300)
  switch (code) {
    case 'EDNS':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The name of the mail server (${server}) has no address here: look at mail.url and at the name servers of this machine.`
    case 'ECONNREFUSED':
      return refusedPort(server)
    case 'ETIMEDOUT':
    case 'ECONNECTION':
    case 'ESOCKET': {
      if (/ECONNREFUSED/.test(said)) return refusedPort(server)
      const means = diagnoseTlsError(said)
      if (means !== null)
        return `The encryption with ${server} failed: ${means} (${said}). ${PORTS}`
      if (/certificate|altname|ssl|tls/i.test(said))
        return `The encryption with ${server} failed: ${said}. ${PORTS}`
      if (/greeting/i.test(said))
        return `${server} took the connection and said nothing, as servers do that wait for encryption. ${PORTS}`
      return `${server} did not answer as a mail server: ${said}. A firewall may be in between; many providers close port 25.`
    }
    case 'ETLS':
      return `${server} could not begin encryption: ${said}.`
    case 'EAUTH':
      return `${server} does not take the name and password of mail.url: ${said}.`
    case 'EENVELOPE':
      return /recipient/i.test(said)
        ? `${server} works, and does not take this recipient${responseCode === undefined ? '' : ` (${responseCode})`}: ${said}. Some send only for those who sign in: look at the name and password in mail.url.`
        : `${server} does not take the sender${responseCode === undefined ? '' : ` (${responseCode})`}: ${said}. Look at mail.from.`
    default:
      return said
  }
}
