/** What a failure to send mail means, in words for whoever set it up. */

/** Codes are those of the mail library and of the system's sockets. */
export function mailTrouble(error: unknown, server: string): string {
  const { code, responseCode, message = String(error) } = (error ?? {}) as { code?: string; responseCode?: number; message?: string }
  const said = message.replace(/\s+/g, ' ').slice(0, 300)
  switch (code) {
    case 'EDNS':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The name of the mail server (${server}) has no address here: look at mail.url and at the name servers of this machine.`
    case 'ECONNREFUSED':
      return `Nothing listens at ${server}: look at host and port in mail.url.`
    case 'ETIMEDOUT':
    case 'ECONNECTION':
    case 'ESOCKET':
      return /certificate|self.signed|altname|ssl|tls|wrong version/i.test(said)
        ? `The encryption with ${server} failed: ${said}. smtps:// is for servers that encrypt from the first byte (port 465), smtp:// for those that begin in the clear (587, 25).`
        : `${server} did not answer as a mail server: ${said}. A firewall may be in between; many providers close port 25.`
    case 'ETLS':
      return `${server} could not begin encryption: ${said}.`
    case 'EAUTH':
      return `${server} does not take the name and password of mail.url: ${said}.`
    case 'EENVELOPE':
      return `${server} does not take sender or recipient${responseCode === undefined ? '' : ` (${responseCode})`}: ${said}. Look at mail.from.`
    default:
      return said
  }
}
