/**
 * The key of a pair of machines: `secrets/standby.pem` holds one private key and its certificate,
 * the same file on both. Connections between them are TLS 1.3, and each side accepts only the
 * holder of this key.
 */
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '#lib/time.ts'
import { DAY } from '#lib/time.ts'
import { selfSigned } from '#lib/x509.ts'

/** The name in the certificate. */
export const PAIR_NAME = 'hearth-standby'
const VALIDITY_MS = 100 * 365 * DAY

export type PairKey = { readonly key: string; readonly cert: string; readonly fingerprint: string }

export const pairKeyPath = (data: string): string => join(data, 'secrets', 'standby.pem')

/** Creates the file. Throws an Error when it exists. */
export function createPairKey(data: string, clock: Clock): PairKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const now = clock.now()
  const cert = selfSigned({
    names: [PAIR_NAME],
    key: privateKey,
    // The clocks of the two machines may differ.
    from: now - 365 * DAY,
    until: now + VALIDITY_MS,
  })
  const key = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(pairKeyPath(data), `${key}${cert}`, { mode: 0o600, flag: 'wx' })
  return readPairKey(data)
}

/** Throws an Error with the remedy when the file is missing or holds no key. */
export function readPairKey(data: string): PairKey {
  const path = pairKeyPath(data)
  if (!existsSync(path))
    throw new Error(
      `${path} is missing: "hearth standby key" makes it on the first machine; copy it`,
    )
  const text = readFileSync(path, 'latin1')
  const key = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n?/.exec(text)?.[0]
  const cert = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/.exec(text)?.[0]
  if (key === undefined || cert === undefined) throw new Error(`${path} holds no key of a pair`)
  return { key, cert, fingerprint: new X509Certificate(cert).fingerprint256 }
}
