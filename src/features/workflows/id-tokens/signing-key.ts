/**
 * The key that signs ID tokens: RSA, because the large clouds accept RS256. It is created at the first
 * use, as `<data>/secrets/id-token.key` in PEM. Whoever removes the file gets a new key at the next
 * start; relying parties read the document with the keys again when they meet a token of an unknown one.
 */
import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose'

const MODULUS_BITS = 2_048

export type SigningKey = { readonly kid: string; readonly privateKey: KeyObject; readonly jwk: JWK }

async function readOrCreate(data: string): Promise<SigningKey> {
  const directory = join(data, 'secrets')
  const path = join(directory, 'id-token.key')
  if (!existsSync(path)) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
    await writeFile(`${path}.partial`, pem, { mode: 0o600, flush: true })
    await rename(`${path}.partial`, path)
  }
  const privateKey = createPrivateKey(readFileSync(path))
  const publicJwk = await exportJWK(createPublicKey(privateKey))
  const kid = await calculateJwkThumbprint(publicJwk)
  return { kid, privateKey, jwk: { ...publicJwk, kid, alg: 'RS256', use: 'sig' } }
}

/** One key of a process, also when several jobs ask for the first token at once. */
class SigningKeys {
  #key: Promise<SigningKey> | null = null

  constructor(private readonly data: string) {}

  get(): Promise<SigningKey> {
    this.#key ??= readOrCreate(this.data).catch((error: unknown) => {
      this.#key = null
      throw error
    })
    return this.#key
  }
}

const keys = service('key of ID tokens', ({ settings }) => new SigningKeys(settings.data))

export const signingKey = (hearth: Hearth): Promise<SigningKey> => keys(hearth).get()
