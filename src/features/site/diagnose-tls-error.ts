/**
 * Explains a TLS failure to the administrator. Null when the message is clear by itself. The
 * patterns match messages of OpenSSL.
 */
export function diagnoseTlsError(said: string): string | null {
  if (/wrong.version.number|packet length too long|unknown protocol|http request/i.test(said))
    return 'what answers there does not begin with encryption'
  if (/self.signed|unable to get (local )?issuer|unable to verify/i.test(said))
    return 'this machine does not trust who vouches for its certificate'
  if (/altname|does not match/i.test(said)) return 'its certificate is for another name'
  if (/certificate has expired/i.test(said)) return 'its certificate has ended'
  if (/not yet valid/i.test(said))
    return 'its certificate is not valid yet: look at the clock of this machine too'
  return null
}
