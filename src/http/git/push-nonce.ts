/**
 * Nonces of signed pushes (git-receive-pack, "push.certNonceSeed"). The advertisement offers one,
 * and the certificate of the push that follows must hold it. A nonce is a time, random digits and
 * their HMAC with the account and the repository, so none has to be stored until it is used. The
 * operation `push` takes each once.
 */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import type { PushCertificate } from '#git'
import { hmacSha256, sameBytes } from '#lib/hash.ts'
import { installationKey } from '#lib/installation-key.ts'
import { MINUTE, SECOND } from '#lib/time.ts'

/** A person may have to type a passphrase, or touch a security key, before the push begins. */
const MAX_AGE_MS = 10 * MINUTE
const RANDOM_BYTES = 8

/** Derived for nonces only, so a signature made for another purpose is never a valid nonce. */
const nonceKey = service('push nonce key', ({ settings }) =>
  hmacSha256(installationKey(settings.data), 'push nonces'),
)

/** Whom a nonce is for, and which repository, as its address names it. */
export type NoncePlace = { readonly account: string; readonly repo: string }

const signatureOf = (hearth: Hearth, { account, repo }: NoncePlace, text: string): Uint8Array =>
  hmacSha256(nonceKey(hearth), `${text} ${account} ${repo.toLowerCase()}`)

export function makePushNonce(hearth: Hearth, place: NoncePlace): string {
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))).toString('hex')
  const text = `${Math.floor(hearth.clock.now() / SECOND)}-${random}`
  return `${text}-${Buffer.from(signatureOf(hearth, place, text)).toString('hex')}`
}

/** What is wrong with the nonce of a certificate; null when it was given here, and lately. */
export function nonceProblem(
  hearth: Hearth,
  place: NoncePlace,
  { nonce }: Pick<PushCertificate, 'nonce'>,
): string | null {
  const [, text, seconds, signature] =
    /^((\d{1,12})-[0-9a-f]{16})-([0-9a-f]{64})$/.exec(nonce ?? '') ?? []
  if (
    text === undefined ||
    !sameBytes(signatureOf(hearth, place, text), Buffer.from(signature ?? '', 'hex'))
  )
    return 'the nonce of the push certificate was not given here for this push: push again'
  const age = hearth.clock.now() - Number(seconds) * SECOND
  return age <= MAX_AGE_MS
    ? null
    : `the nonce of the push certificate is older than ${MAX_AGE_MS / MINUTE} minutes: push again`
}
