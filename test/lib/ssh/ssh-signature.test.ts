import { expect, test } from 'bun:test'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { parseSshBlob, parseSshLine, SshFormatError } from '#lib/ssh/ssh-key.ts'
import { isSignedBy, parseSshSignature } from '#lib/ssh/ssh-signature.ts'
import { parseCommit, parseTag } from '../../../src/git/object.ts'
import made from '../../fixtures/ssh/signatures.json'
import { ed25519Point, sshArmored, sshField, sshSigned } from '../../ssh.ts'

const bytes = new TextEncoder().encode(made.text)
const keys = Object.entries(made.keys)

test.each(keys)(
  '%s: what ssh-keygen printed and signed is read alike',
  (_, { line, fingerprint, signature }) => {
    const { key, comment } = parseSshLine(line)
    expect([key.fingerprint, comment]).toEqual([fingerprint, 'ada@laptop'])
    const parsed = parseSshSignature(signature)
    expect(parsed.key.fingerprint).toBe(fingerprint)
    expect(isSignedBy(parsed, 'git', bytes)).toBe(true)
    // For another purpose, of other bytes, or changed itself, it proves nothing.
    expect(isSignedBy(parsed, 'file', bytes)).toBe(false)
    expect(isSignedBy(parsed, 'git', bytes.subarray(1))).toBe(false)
    expect(
      isSignedBy(
        {
          ...parsed,
          signature: parsed.signature.map((byte, at) =>
            at === parsed.signature.length - 3 ? byte ^ 1 : byte,
          ),
        },
        'git',
        bytes,
      ),
    ).toBe(false)
  },
)

test('the signature of one key is not that of another', () => {
  const [first, second] = [made.keys.ecdsab256, made.keys.ed25519].map(({ signature }) =>
    parseSshSignature(signature),
  )
  if (!first || !second) throw new Error('no signatures')
  expect(isSignedBy({ ...first, key: second.key }, 'git', bytes)).toBe(false)
})

test('SHA-1 signatures of RSA keys are refused', () => {
  expect(
    isSignedBy(
      { ...parseSshSignature(made.keys.rsab2048.signature), algorithm: 'ssh-rsa' },
      'git',
      bytes,
    ),
  ).toBe(false)
})

/** A key of a security token and what it would sign (OpenSSH PROTOCOL.u2f). */
function tokenSignature(flags: number): string {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const blob = Buffer.concat([
    sshField('sk-ssh-ed25519@openssh.com'),
    sshField(ed25519Point(publicKey)),
    sshField('ssh:'),
  ])
  const extra = Buffer.from([flags, 0, 0, 0, 7])
  const raw = sign(
    null,
    Buffer.concat([
      createHash('sha256').update('ssh:').digest(),
      extra,
      createHash('sha256').update(sshSigned(bytes)).digest(),
    ]),
    privateKey,
  )
  const inner = Buffer.concat([sshField('sk-ssh-ed25519@openssh.com'), sshField(raw), extra])
  return sshArmored(blob, inner)
}

test('a signature of a security token needs a present user', () => {
  expect(isSignedBy(parseSshSignature(tokenSignature(1)), 'git', bytes)).toBe(true)
  expect(isSignedBy(parseSshSignature(tokenSignature(0)), 'git', bytes)).toBe(false)
})

test('commits and tags as git signed them', () => {
  const text = (value: string): Uint8Array => new TextEncoder().encode(value)
  for (const { signature } of [
    parseCommit('0'.repeat(40), text(made.commit)),
    parseTag('0'.repeat(40), text(made.tag)),
  ]) {
    if (!signature) throw new Error('no signature')
    const parsed = parseSshSignature(signature.armored)
    expect(parsed.key.fingerprint).toBe(made.keys.ed25519.fingerprint)
    expect(isSignedBy(parsed, 'git', signature.signed)).toBe(true)
  }
  const other = parseCommit('0'.repeat(40), text(made.commit.replace('With care', 'With haste')))
  if (!other.signature) throw new Error('no signature')
  expect(
    isSignedBy(parseSshSignature(other.signature.armored), 'git', other.signature.signed),
  ).toBe(false)
})

test('texts that are no key or signature are refused with a reason', () => {
  const line = made.keys.ed25519.line
  const [kind = '', base64 = ''] = line.split(' ')
  const refused: [string, RegExp][] = [
    ['', /one line/],
    ['-----BEGIN OPENSSH PRIVATE KEY-----', /private key/],
    [`${line}\n${line}`, /one line/],
    [`ssh-rsa ${base64}`, /the line says/],
    [`${kind} ${base64.slice(0, 40)}`, /cut off/],
    [`ssh-dss ${Buffer.from('\0\0\0\x07ssh-dss').toString('base64')}`, /no kind of key/],
    [
      `${kind} ${Buffer.concat([Buffer.from(base64, 'base64'), Buffer.from('x')]).toString('base64')}`,
      /more bytes/,
    ],
  ]
  for (const [text, why] of refused) expect(() => parseSshLine(text)).toThrow(why)
  const short = Buffer.concat([
    sshField('ssh-rsa'),
    sshField(new Uint8Array([1, 0, 1])),
    sshField(new Uint8Array(128).fill(255)),
  ])
  expect(() => parseSshBlob(short)).toThrow('1024')
  for (const text of ['', 'x', '-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----'])
    expect(() => parseSshSignature(text)).toThrow(SshFormatError)
})
