/** Explains a failure to reach an address to the administrator. */
import type { OutboundError } from '#lib/outbound/outbound.ts'
import { diagnoseTlsError } from './diagnose-tls-error.ts'

export function diagnoseOutboundError({ fault, detail: message }: OutboundError, url: URL): string {
  switch (fault) {
    case 'dns':
      return `${message} here: look at its spelling, and at the name servers of this machine.`
    case 'refused':
      return /ECONNREFUSED/.test(message)
        ? `Nothing listens at ${url.host}: the machine is there and refuses the port.`
        : /EHOSTUNREACH|ENETUNREACH/.test(message)
          ? `There is no way from this machine to ${url.host}.`
          : `${message}.`
    case 'tls': {
      const means = diagnoseTlsError(message)
      return means === null
        ? `${message}.`
        : `The encryption with ${url.host} failed: ${means} (${message.replace(/^.*cannot be reached: /, '')}).`
    }
    case 'timeout':
      return `${message}. A firewall may drop what is sent there.`
    default:
      return `${message}.`
  }
}
