/**
 * Push certificates: what `git push --signed` sends in place of commands (gitprotocol-pack, "Push
 * Certificate"). The signature covers the commands, so nothing beside a certificate moves a ref.
 */
import { isUtf8 } from 'node:buffer'
import { GitError, type PushCertificate } from '../ports.ts'
import type { BodyReader } from './body.ts'

/** The host keeps certificates. This is enough for some 15,000 refs. */
export const MAX_CERTIFICATE_BYTES = 2 << 20
const MAX_SIGNATURE_BYTES = 64 << 10
const VERSION = 'certificate version 0.1'
const END = 'push-cert-end'

export type ParsedCertificate = {
  readonly certificate: PushCertificate
  /** The lines of the commands. */
  readonly commands: readonly string[]
}

const malformed = (why: string): GitError => new GitError('invalid', `the push certificate ${why}`)

export const isCertificateStart = (data: Buffer): boolean =>
  data.toString('latin1', 0, 10) === 'push-cert\0'

/** Reads the packets behind the first one, up to and including the end of the certificate. */
export async function readCertificate(body: BodyReader): Promise<ParsedCertificate> {
  const lines: Buffer[] = []
  let size = 0
  for (;;) {
    const packet = await body.packet()
    if (packet?.kind !== 'data') throw malformed('is cut off')
    const { data } = packet
    if (data.length <= END.length + 1 && data.toString('latin1').trimEnd() === END) break
    size += data.length
    if (size > MAX_CERTIFICATE_BYTES)
      throw new GitError(
        'too_large',
        `a push certificate has at most ${MAX_CERTIFICATE_BYTES} bytes: push fewer refs at once`,
      )
    lines.push(data)
  }
  return parseCertificate(Buffer.concat(lines))
}

export function parseCertificate(bytes: Buffer): ParsedCertificate {
  // Ref names of other bytes could not be kept as text without breaking the signature.
  if (!isUtf8(bytes)) throw malformed('is not UTF-8: rename the ref and push again')
  const text = bytes.toString('utf8')
  // Commands begin with hex digits and fields with their name, so the first such line begins the
  // signature.
  const end = text.indexOf('\n-----BEGIN ') + 1
  if (end === 0) throw malformed('has no signature')
  if (text.length - end > MAX_SIGNATURE_BYTES) throw malformed('has a signature that is too long')
  const signed = text.slice(0, end)
  const body = signed.indexOf('\n\n')
  if (body < 0) throw malformed('names no refs')
  const [version, ...fields] = signed.slice(0, body).split('\n')
  if (version !== VERSION) throw malformed(`is not of the form "${VERSION}"`)
  const { pusher, pushee = null, nonce = null, options } = parseFields(fields)
  if (pusher === undefined) throw malformed('does not name its pusher')
  const commands = signed.slice(body + 2, -1).split('\n')
  const signature = text.slice(end)
  return { certificate: { pusher, pushee, nonce, options, signed, signature }, commands }
}

type Fields = { pusher?: string; pushee?: string; nonce?: string; options: string[] }

/** Lines of a name and a value. Unknown names are left to later versions, as git does. */
function parseFields(lines: readonly string[]): Fields {
  const fields: Fields = { options: [] }
  for (const line of lines) {
    const space = line.indexOf(' ')
    const [name, value] = space < 0 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)]
    if (name === 'push-option') fields.options.push(value)
    else if (name === 'pusher' || name === 'pushee' || name === 'nonce') {
      if (fields[name] !== undefined) throw malformed(`has ${name} twice`)
      fields[name] = value
    }
  }
  return fields
}
